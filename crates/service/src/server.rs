//! The server: connections within limits, and a graceful stop with a deadline.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::panic;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use majuscule::{Error, ModelPool, Result};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::options::ServiceOptions;

/// The wait after a connection that could not be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(50);

/// The time that work in progress has to see that it is interrupted.
const LAST: Duration = Duration::from_secs(1);

/// Serves connections until `stop` is ready. Then no more are accepted, running requests are finished,
/// and what is not finished within [`ServiceOptions::grace`] is cut off. Returns true if all was
/// finished.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    options: &ServiceOptions,
    stop: impl Future<Output = ()>,
) -> bool {
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(options.connections.min(Semaphore::MAX_PERMITS)));
    let mut stop = std::pin::pin!(stop);
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        while tasks.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &room) => accepted,
        };
        let Some((stream, held)) = accepted else { continue };
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tasks.spawn(async move {
            // A connection that breaks concerns nobody else.
            let _ = connection.await;
            drop(held);
        });
    }
    drop(listener);
    let is_finished = timeout(options.grace, graceful.shutdown()).await.is_ok();
    // Ends the rest, whose work then sees that nobody waits.
    tasks.shutdown().await;
    is_finished
}

/// Accepts a connection, if there is room for it.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    match listener.accept().await {
        Ok((stream, _)) => {
            let held = Arc::clone(room).try_acquire_owned().ok()?;
            // Answers are short and complete: nothing is gained by waiting for more.
            let _ = stream.set_nodelay(true);
            Some((stream, held))
        }
        Err(_) => {
            sleep(PAUSE).await;
            None
        }
    }
}

/// Serves at an address until the process is told to stop (SIGINT, SIGTERM), and calls `started` with
/// the address once connections are accepted. A panic prints where it was, and no text.
///
/// # Errors
/// Fails if the address cannot be used, or requests were cut off at the end.
pub fn run(
    address: SocketAddr,
    pool: Arc<ModelPool>,
    options: ServiceOptions,
    started: impl FnOnce(SocketAddr),
) -> Result<()> {
    let failed = |error| Error::io("listen at", address.to_string(), error);
    let runtime = runtime::Builder::new_multi_thread().enable_io().enable_time().build().map_err(failed)?;
    panic::set_hook(Box::new(|panic| {
        use std::io::Write;
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(io::stderr(), "majuscule: a panic at {place}");
    }));
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let stop = stop_signal().map_err(failed)?;
        started(listener.local_addr().map_err(failed)?);
        let router = crate::router(pool, options.clone());
        Ok(serve(listener, router, &options, stop).await)
    });
    runtime.shutdown_timeout(LAST);
    let seconds = options.grace.as_secs_f64();
    match served {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(Error::usage(format!("requests that were not finished within {seconds} s were cut off")))
        }
        Err(error) => Err(error),
    }
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

#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
