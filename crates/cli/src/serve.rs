//! `majuscule serve`: text and files over HTTP, and a page to try it on.

use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;

use super::{methods, page};
use majuscule::ModelPool;
use majuscule::error::{Error, option};
use majuscule_service::{Log, LogEntry, ServiceOptions};

/// Serves text and files over HTTP, with a page to try it on
///
/// POST /v1/restore restores JSON or a file, POST /v1/convert converts one, and / is a page. Nothing
/// leaves this machine. SIGTERM and SIGINT stop the service once its requests are answered.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// The address and the port; with port 0 the system chooses one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The number of requests that compute at once; the number of cores by default
    #[arg(long, value_name = "N", value_parser = page::number)]
    threads: Option<NonZeroUsize>,
    /// Accept only requests with the header Authorization: Bearer TOKEN; this file has the token
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// Print a line for each request on standard error, without its text
    #[arg(long)]
    log: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule serve
  curl -H 'Content-Type: text/plain' --data-binary @talk.txt http://127.0.0.1:8080/v1/restore
  curl --data-binary @talk.srt 'http://127.0.0.1:8080/v1/restore?format=srt&marks=auto'";

/// Runs the service.
pub fn run(args: ServeArgs) -> Result<ExitCode> {
    let token = args.token.map(read_token).transpose()?;
    if token.is_none() && !args.listen.ip().is_loopback() {
        tell!(
            "majuscule: other machines can use the service at {}: --token FILE asks them for a token",
            args.listen
        );
    }
    let options = ServiceOptions::default()
        .threads(page::threads(args.threads))
        .token(token)
        .log(args.log.then(logger));
    let pool = Arc::new(ModelPool::new(methods::methods()));
    majuscule_service::run(args.listen, pool, options, |address| {
        tell!("majuscule: http://{address}/ (Ctrl-C stops)");
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the token from the first line of a file.
fn read_token(path: PathBuf) -> Result<String, Error> {
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
    match text.trim() {
        token if !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()) => Ok(token.to_owned()),
        _ => {
            let problem = format!("{} expects one line of ASCII without spaces, the token", option("token"));
            Err(Error::file(path.to_string_lossy(), problem))
        }
    }
}

/// Prints a line for each request.
fn logger() -> Log {
    Arc::new(|LogEntry { id, method, route, status, time, .. }| {
        tell!("{id} {method} {route} {status} {:.1} ms", time.as_secs_f64() * 1e3);
    })
}
