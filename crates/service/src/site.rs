//! The names by which the service is called, and the web pages that may call it.
//!
//! A browser sends requests of any web page to this machine. A page whose host name resolves to 127.0.0.1 (DNS
//! rebinding) can even read the answers. The header `Host` reveals such a name; `Origin` and `Sec-Fetch-Site`
//! identify the page.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::connection::Connection;
use crate::problem::ApiError;
use crate::state::Service;

/// The header in which browsers report whether a page of another site sends the request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names of hosts that a service answers to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HostNames {
    /// All names.
    #[default]
    Any,
    /// `localhost`, loopback addresses, and these names.
    LoopbackAnd(Vec<String>),
}

impl HostNames {
    /// Returns true if a `Host` is one of the names, with any port.
    fn has(&self, host: &str) -> bool {
        *self == Self::Any || is_loopback(host_name(host)) || self.has_listed(host)
    }

    /// Returns true if a host is one of the names that were given, with any port.
    fn has_listed(&self, host: &str) -> bool {
        let name = host_name(host);
        matches!(self, Self::LoopbackAnd(names) if names.iter().any(|of| of.eq_ignore_ascii_case(name)))
    }
}

/// Refuses requests that call the service by another name, requests of pages of other sites, and requests on
/// connections beyond the limit.
pub async fn check(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    if request.extensions().get::<Connection>().is_some_and(|connection| connection.is_spare) {
        let connections = service.options.connections;
        let detail = format!("the limit of {connections} open connections is reached: try again later");
        return ApiError::busy(detail).into_response();
    }
    match refusal(request.headers(), &service.options.hosts) {
        None => next.run(request).await,
        Some(detail) => ApiError::new(StatusCode::FORBIDDEN, detail).into_response(),
    }
}

/// Returns the reason why a request is refused.
fn refusal(headers: &HeaderMap, hosts: &HostNames) -> Option<String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(HOST).unwrap_or_default();
    if !hosts.has(host) {
        return Some(format!(
            "the header Host is {host:?}, but this service answers to localhost and to names allowed with --allow-host"
        ));
    }
    let Some(origin) = text(ORIGIN) else {
        return (text(FETCH_SITE) == Some("cross-site")).then(|| foreign("Sec-Fetch-Site"));
    };
    let is_own = match origin.split_once("://") {
        // A proxy may send its own name as Host.
        Some(("http" | "https", site)) => site.eq_ignore_ascii_case(host) || hosts.has_listed(site),
        // Programs with pages of their own, such as browser extensions, are not sites.
        Some((scheme, _)) => scheme != "file",
        None => false,
    };
    (!is_own).then(|| foreign("Origin"))
}

fn foreign(header: &str) -> String {
    format!("the header {header} names another site: only the pages of this service may use it")
}

/// Returns a host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    }
}

/// Returns true for `localhost` and loopback addresses.
fn is_loopback(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(host: &str, others: &[(HeaderName, &str)], hosts: &HostNames) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        headers.extend(others.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())));
        refusal(&headers, hosts).is_none()
    }

    #[test]
    fn only_pages_of_the_same_host_and_port_ask() {
        let of = |origin: &str, host: &str| is_allowed(host, &[(ORIGIN, origin)], &HostNames::Any);
        assert!(is_allowed("a:80", &[], &HostNames::Any));
        assert!(of("http://a:80", "A:80") && of("https://a.example", "a.example"));
        assert!(of("moz-extension://5b1c", "a:80"));
        for origin in ["http://a:81", "http://b:80", "null", "a:80", "http://a:80.b", "", "file://"] {
            assert!(!of(origin, "a:80"), "{origin}");
        }
    }

    #[test]
    fn a_page_of_another_site_that_sends_no_origin_is_refused() {
        let of = |site: &str| is_allowed("a", &[(FETCH_SITE, site)], &HostNames::Any);
        assert!(of("same-origin") && of("none") && of("same-site") && !of("cross-site"));
    }

    #[test]
    fn only_names_of_this_machine_and_allowed_ones_call_a_local_service() {
        let hosts = HostNames::LoopbackAnd(vec!["case.example".to_owned()]);
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]:80",
            "[::1]",
            "Case.example:443",
        ] {
            assert!(is_allowed(host, &[], &hosts), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example", "10.0.0.1", "case.example.evil", "[::2]:80"]
        {
            assert!(!is_allowed(host, &[], &hosts), "{host}");
        }
        assert!(is_allowed("127.0.0.1:80", &[(ORIGIN, "https://case.example")], &hosts));
        assert!(!is_allowed("127.0.0.1:80", &[(ORIGIN, "https://other.example")], &hosts));
    }
}
