//! `majuscule serve`: text and files over HTTP, and a page to try it on.

use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::{methods, page};
use majuscule::ModelPool;
use majuscule_base::error::{Error, Result, option};
use majuscule_service::{HostNames, Log, LogEntry, ServiceOptions};

/// Serves text and files over HTTP, with a page to try it on
///
/// POST /v1/restore restores JSON or a file, POST /v1/convert converts a file,
/// and / is a web page. Nothing leaves this machine. SIGTERM and SIGINT stop the service once its
/// requests are answered; SIGHUP reloads the models.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Address and port; with port 0 the system chooses one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Load a model from its folder or packed file, for requests that name it in the field model; may be
    /// given several times
    #[arg(long = "model", value_name = "NAME=FOLDER", value_parser = named_folder)]
    models: Vec<(String, PathBuf)>,
    /// Number of requests processed at once; the number of cores by default
    #[arg(long, value_name = "N", value_parser = page::number)]
    threads: Option<NonZeroUsize>,
    /// Accept only requests with the header Authorization: Bearer TOKEN, whose token is in this file
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// Answer requests with this name in the header Host too, as of a reverse proxy; may be given several
    /// times. Without a token on a loopback address only localhost and loopback addresses are answered
    #[arg(long = "allow-host", value_name = "NAME", value_parser = host_name)]
    allowed_hosts: Vec<String>,
    /// Print a line of JSON for each request on standard error, without its text
    #[arg(long)]
    log: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule serve
  curl -H 'Content-Type: text/plain' --data-binary @talk.txt http://127.0.0.1:8080/v1/restore
  curl --data-binary @talk.srt 'http://127.0.0.1:8080/v1/restore?format=srt&marks=auto'";

/// Runs the service.
pub fn run(args: ServeArgs) -> Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    super::allocator::share_among_threads();
    let token = args.token.map(read_token).transpose()?;
    if token.is_none() && !args.listen.ip().is_loopback() {
        tell!(
            "majuscule: other machines can use the service at {}: --token FILE requires a token",
            args.listen
        );
    }
    let is_open_locally = token.is_none() && args.listen.ip().is_loopback();
    let hosts = match is_open_locally || !args.allowed_hosts.is_empty() {
        true => HostNames::LoopbackAnd(args.allowed_hosts),
        false => HostNames::Any,
    };
    let options = ServiceOptions {
        threads: page::threads(args.threads),
        hosts,
        token,
        log: Some(logger(args.log)),
        ..ServiceOptions::default()
    };
    let mut pool = ModelPool::new(methods::methods());
    for (name, folder) in args.models {
        pool = pool.with_model(&name, folder)?;
    }
    let started = |address| tell!("majuscule: http://{address}/ (Ctrl-C stops)");
    majuscule_service::run(args.listen, Arc::new(pool), options, started, tell_reload)
}

/// Reads a model of the command line: its name and its folder.
fn named_folder(text: &str) -> Result<(String, PathBuf), &'static str> {
    page::named_path(text).ok_or("expected a name and a folder, such as news=models/news")
}

/// Reads the name of a host, without a scheme and a port.
fn host_name(text: &str) -> Result<String, &'static str> {
    match text.is_empty() || text.contains(['/', ':', '*', ' ']) {
        true => Err("expected the name of a host alone, such as case.example.org"),
        false => Ok(text.to_owned()),
    }
}

/// Prints the outcome of loading the models again.
fn tell_reload(errors: &[Error]) {
    for error in errors {
        tell!("majuscule: a model was not reloaded and stays as it was: {}", error.worded(crate::flag));
    }
    if errors.is_empty() {
        tell!("majuscule: the models were reloaded");
    }
}

/// Reads the token from the first line of a file.
fn read_token(path: PathBuf) -> Result<String> {
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
    match text.trim() {
        token if !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()) => Ok(token.to_owned()),
        _ => {
            let problem =
                format!("{} expects the token alone: one line of ASCII without spaces", option("token"));
            Err(Error::file(path.to_string_lossy(), problem))
        }
    }
}

/// Prints a line of JSON for each request if `all` is true, and otherwise for each request that failed because of the
/// service itself.
fn logger(all: bool) -> Log {
    Arc::new(move |LogEntry { id, method, route, status, time, error, .. }| {
        if all || error.is_some() {
            let ms = (time.as_secs_f64() * 1e4).round() / 10.0;
            let entry = json!({
                "id": id, "method": method, "route": route, "status": status, "ms": ms, "error": error,
            });
            tell!("{entry}");
        }
    })
}
