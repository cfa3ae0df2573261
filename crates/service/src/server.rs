//! The server: connections within limits, and a graceful stop with a deadline.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::panic;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use majuscule::{Error, ModelPool, Result, caught};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

use crate::client_stream::ClientStream;
use crate::connection::{Connection, Stopping};
use crate::options::ServiceOptions;

/// The wait after a connection that could not be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(50);

/// The time for the runtime to notice the bytes that arrived before the signal to stop.
const READ: Duration = Duration::from_millis(10);

/// The largest number of unprocessed bytes of input that are held for a connection.
const BUFFER: usize = 64 << 10;

/// The number of connections beyond the limit, which can request only `/health`, `/ready` and the page, and the
/// longest time for the head of the only request of such a connection.
const SPARE: usize = 16;
const SPARE_HEAD: Duration = Duration::from_secs(1);

/// The time for work in progress to notice that it is interrupted.
const LAST: Duration = Duration::from_secs(1);

/// Serves connections until `stop` is ready. Requests that were sent before are then still read and answered, but no
/// more are accepted. Requests that are not finished within [`ServiceOptions::grace`] are cut off. Returns true if
/// all requests were finished.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    options: &ServiceOptions,
    stop: impl Future<Output = ()>,
) -> bool {
    let builder = |head_timeout: Duration, keep_alive: bool| {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(head_timeout)
            .max_buf_size(BUFFER)
            .keep_alive(keep_alive);
        http
    };
    let http = [builder(options.head_timeout, true), builder(options.head_timeout.min(SPARE_HEAD), false)];
    let spare = Arc::new(Semaphore::new(SPARE));
    let places = u32::try_from(options.connections.min(Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX);
    let room = Arc::new(Semaphore::new(places as usize));
    let (stage, stopping) = watch::channel(Stopping::Not);
    let mut stop = std::pin::pin!(stop);
    let mut tasks = JoinSet::new();
    let begin = |tasks: &mut JoinSet<()>, stream: TcpStream| {
        let held = Arc::clone(&room).try_acquire_owned();
        let is_spare = held.is_err();
        let Ok(held) = held.or_else(|_| Arc::clone(&spare).try_acquire_owned()) else { return };
        // Answers are short and complete: nothing is gained by waiting for more.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(ClientStream::new(stream, options.timeout));
        let connection = Connection::new(held, is_spare, stopping.clone());
        let service = TowerToHyperService::new(router.clone().layer(Extension(connection.clone())));
        let http = &http[usize::from(is_spare)];
        tasks.spawn(finish(http.serve_connection(stream, service).with_upgrades(), connection));
    };
    loop {
        while tasks.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => begin(&mut tasks, stream),
            Err(_) => sleep(PAUSE).await,
        }
    }
    for stream in waiting(listener) {
        begin(&mut tasks, stream);
    }
    sleep(READ).await;
    stage.send_replace(Stopping::Gently);
    // All connections, including WebSockets, hold their permits until they end.
    let is_finished = timeout(options.grace, room.acquire_many(places)).await.is_ok();
    stage.send_replace(Stopping::AtOnce);
    // This ends the remaining connections, and their work then notices that nobody waits for it.
    tasks.shutdown().await;
    is_finished
}

/// Serves a connection to its end; once the service stops, only to the end of the current request.
async fn finish(
    served: http1::UpgradeableConnection<TokioIo<ClientStream>, TowerToHyperService<Router>>,
    mut connection: Connection,
) {
    let mut served = std::pin::pin!(served);
    tokio::select! {
        // The connection is polled first, so that bytes that have arrived are read before it counts as idle.
        biased;
        // An error of one connection does not concern others.
        _ = &mut served => return,
        () = connection.until(Stopping::Gently) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

/// Returns the connections that wait to be accepted, and accepts no more.
fn waiting(listener: TcpListener) -> Vec<TcpStream> {
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    let accept = || {
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        TcpStream::from_std(stream)
    };
    std::iter::from_fn(|| accept().ok()).collect()
}

/// Serves at an address until the process is signalled to stop (SIGINT, SIGTERM), and calls `started` with
/// the address once connections are accepted. At SIGHUP the models are loaded again, and `reloaded` gets the
/// errors of models that were not reloaded. A panic prints where it was, and no text.
///
/// # Errors
/// Fails if the address cannot be used, or requests were cut off at the end.
pub fn run(
    address: SocketAddr,
    pool: Arc<ModelPool>,
    options: ServiceOptions,
    started: impl FnOnce(SocketAddr),
    reloaded: impl Fn(&[Error]) + Send + 'static,
) -> Result<()> {
    let failed = |error| Error::io("listen at", address.to_string(), error);
    let runtime = runtime::Builder::new_multi_thread().enable_io().enable_time().build().map_err(failed)?;
    panic::set_hook(Box::new(|panic| {
        use std::io::Write;
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(io::stderr(), "majuscule: a panic at {place}");
    }));
    let served: Result<bool> = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let stop = stop_signal().map_err(failed)?;
        tokio::spawn(reload_at_signal(Arc::clone(&pool), reloaded).map_err(failed)?);
        started(listener.local_addr().map_err(failed)?);
        let router = crate::router(pool, options.clone());
        Ok(serve(listener, router, &options, stop).await)
    });
    runtime.shutdown_timeout(LAST);
    if served? {
        return Ok(());
    }
    let seconds = options.grace.as_secs_f64();
    Err(Error::usage(format!("requests that were not finished within {seconds} s were cut off")))
}

/// Waits for a signal that ends the process.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    })
}

/// Loads the models again at each SIGHUP. Running requests keep their models.
#[cfg(unix)]
fn reload_at_signal(
    pool: Arc<ModelPool>,
    reloaded: impl Fn(&[Error]) + Send + 'static,
) -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        while hangup.recv().await.is_some() {
            let pool = Arc::clone(&pool);
            let errors = spawn_blocking(move || caught(|| Ok(pool.reload()))).await;
            match errors.unwrap_or_else(|error| Err(Error::Bug(error.to_string()))) {
                Ok(errors) => reloaded(&errors),
                Err(bug) => reloaded(&[bug]),
            }
        }
    })
}

#[cfg(not(unix))]
fn reload_at_signal(
    _: Arc<ModelPool>,
    _: impl Fn(&[Error]) + Send + 'static,
) -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {})
}

#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
