//! HTTP: the page, what there is as JSON, and what is new as server-sent events. Reading only, and only with the token.
//!
//! A request must name this machine by an IP address or `localhost`: a stranger's name that leads here (DNS rebinding)
//! is turned away before anything else is looked at. Must not know: sockets, files.

use super::show::Show;
use crate::host::pour;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Shortest time between two things told to one browser.
const PACE: Duration = Duration::from_millis(250);
/// Rest after something was made for a browser, as a multiple of what making it took and of the number of browsers: all
/// who watch together take at most a tenth of one core.
const REST: u32 = 10;
/// Time after which silence is broken, so that a lost connection is noticed.
const STILL_HERE: Duration = Duration::from_secs(15);
/// Most browsers that watch at the same time.
const WATCHERS: usize = 32;
/// Most traces that are read for browsers at the same time.
const TRACES: usize = 2;

/// What the handlers share.
pub struct Server {
    show: Show,
    token: String,
    seats: Arc<Semaphore>,
    traces: Arc<Semaphore>,
}

impl Server {
    /// Shows this to those who know the token.
    pub fn new(show: Show, token: String) -> Server {
        let seats = |most| Arc::new(Semaphore::new(most));
        Server { show, token, seats: seats(WATCHERS), traces: seats(TRACES) }
    }

    /// What is shown.
    pub fn show(&self) -> &Show {
        &self.show
    }
}

/// The whole site.
pub fn router(server: Arc<Server>) -> Router {
    Router::new().fallback(answer).with_state(server)
}

async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let mut response = route(&server, request.method(), request.uri(), request.headers()).await;
    if request.method() == Method::HEAD {
        // As GET, without what GET would say: hyper takes the body away and keeps its length.
        response = response.map(|_| Body::empty());
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // The page names its own scripts by their hashes; this holds for every answer.
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let same = HeaderValue::from_static("same-origin");
    response.headers_mut().insert("cross-origin-resource-policy", same);
    response
}

async fn route(server: &Arc<Server>, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response {
    if !is_ours(headers.get(header::HOST)) {
        let words =
            "this is served to an IP address or to localhost only; open it by the address that was printed\n";
        return (StatusCode::MISDIRECTED_REQUEST, words).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        let words = "nothing can be written here\n";
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")], words).into_response();
    }
    let nothing = || {
        let words = "nothing is here; open the whole address that was printed, with its token\n";
        (StatusCode::NOT_FOUND, words).into_response()
    };
    let path = uri.path().strip_prefix('/').and_then(|path| path.split_once('/'));
    let Some((_, rest)) = path.filter(|(token, _)| is_same(token, &server.token)) else { return nothing() };
    let typed = |kind: &'static str, body: String| ([(header::CONTENT_TYPE, kind)], body).into_response();
    match rest {
        "" => typed("text/html; charset=utf-8", server.show.page()),
        "snapshot.json" => {
            let all = server.show.news(0, true).map_or_else(String::new, |(_, text)| text);
            typed("application/json", all)
        }
        // A stream has no end to measure: who asks for its head takes no seat.
        "events" if method == Method::HEAD => typed("text/event-stream", String::new()),
        "events" => events(server, since(uri, headers)),
        path if server.show.is_trace(path) => trace(server, path, method).await,
        path => {
            let profile = path.strip_prefix("profile/").and_then(|path| server.show.profile(path));
            profile.map_or_else(nothing, |profile| typed("application/json", profile))
        }
    }
}

/// Whether the address asked for is an IP address or `localhost`, whatever the port: people forward ports.
fn is_ours(host: Option<&HeaderValue>) -> bool {
    let Some(host) = host.and_then(|host| host.to_str().ok()) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// Compares in the same time wherever they differ.
fn is_same(given: &str, token: &str) -> bool {
    let differ = given.bytes().zip(token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    given.len() == token.len() && differ == 0
}

/// The version somebody has seen: of the event they heard last, else of the page they opened.
fn since(uri: &Uri, headers: &HeaderMap) -> u64 {
    let heard = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let opened = || {
        uri.query().into_iter().flat_map(|query| query.split('&')).find_map(|one| one.strip_prefix("since="))
    };
    heard.or_else(opened).and_then(|version| version.parse().ok()).unwrap_or(0)
}

/// What one browser is in the middle of.
struct Watcher {
    server: Arc<Server>,
    seen: u64,
    first: bool,
    rest: Duration,
    _seat: OwnedSemaphorePermit,
}

fn events(server: &Arc<Server>, seen: u64) -> Response {
    let Ok(seat) = server.seats.clone().try_acquire_owned() else {
        let words = format!("{WATCHERS} browsers watch already; close one\n");
        return (StatusCode::SERVICE_UNAVAILABLE, words).into_response();
    };
    let watcher = Watcher { server: server.clone(), seen, first: true, rest: PACE, _seat: seat };
    let stream = futures::stream::unfold(watcher, |mut watcher| async move {
        loop {
            if !watcher.first {
                tokio::time::sleep(watcher.rest).await;
            }
            let began = Instant::now();
            let news = watcher.server.show.news(watcher.seen, watcher.first);
            let watching = WATCHERS - watcher.server.seats.available_permits();
            watcher.rest = rest(began.elapsed(), watching);
            if let Some((version, text)) = news {
                (watcher.seen, watcher.first) = (version, false);
                let event = Event::default().event("update").id(version.to_string()).data(text);
                return Some((Ok::<_, Infallible>(event), watcher));
            }
        }
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(STILL_HERE)).into_response()
}

/// A trace of the bundle, unpacked: read piece by piece while it is taken, so none is held whole.
async fn trace(server: &Server, path: &str, method: &Method) -> Response {
    let Ok(seat) = server.traces.clone().try_acquire_owned() else {
        let words = format!("{TRACES} traces are being read already; try again when they are there\n");
        return (StatusCode::SERVICE_UNAVAILABLE, words).into_response();
    };
    let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
    if method == Method::HEAD {
        return (kind, Body::empty()).into_response();
    }
    match pour(server.show.root(), path, seat).await {
        Ok(pieces) => (kind, Body::from_stream(pieces)).into_response(),
        Err(why) => (StatusCode::NOT_FOUND, format!("{why}\n")).into_response(),
    }
}

/// How long a browser waits for more, when this took so long and so many watch.
fn rest(took: Duration, watching: usize) -> Duration {
    (took * REST * u32::try_from(watching).unwrap_or(1)).clamp(PACE, STILL_HERE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_localhost_are_ours() {
        let ours = |host: &str| is_ours(Some(&HeaderValue::from_str(host).unwrap()));
        for host in ["127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]:9", "192.168.0.7", "10.0.0.1:80"] {
            assert!(ours(host), "{host}");
        }
        for host in
            ["evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "[::1", "1"]
        {
            assert!(!ours(host), "{host}");
        }
        assert!(!is_ours(None));
    }

    #[test]
    fn those_who_watch_take_a_tenth_of_a_core() {
        let ms = Duration::from_millis;
        assert_eq!(rest(ms(1), 1), PACE);
        assert_eq!(rest(ms(40), 1), ms(400));
        assert_eq!(rest(ms(40), 8), ms(3_200));
        assert_eq!(rest(ms(900), WATCHERS), STILL_HERE);
    }

    #[test]
    fn a_token_is_the_whole_token() {
        assert!(is_same("abc", "abc"));
        for wrong in ["", "ab", "abcd", "abd"] {
            assert!(!is_same(wrong, "abc"));
        }
    }

    #[test]
    fn what_was_heard_counts_before_what_was_opened() {
        let uri: Uri = "/t/events?a=1&since=7".parse().unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(since(&uri, &headers), 7);
        headers.insert("last-event-id", HeaderValue::from_static("9"));
        assert_eq!(since(&uri, &headers), 9);
        assert_eq!(since(&"/t/events".parse().unwrap(), &HeaderMap::new()), 0);
    }
}
