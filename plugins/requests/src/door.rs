//! The door to the systems: the only file that opens connections, and the only one that has the token.
//!
//! A token goes to one place only: redirects are not followed, and without TLS it goes to this computer alone. Answers
//! are bounded. TLS is rustls with ring, and trusts whom the computer trusts.
#![allow(clippy::disallowed_types, reason = "this file is the outside world")]

use crate::exchange::{Answer, Lost, Method, Request};
use base64::Engine;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Url};
use std::net::IpAddr;
use std::time::Duration;

/// Largest answer, bytes.
const ANSWER: usize = 16 << 20;
/// Longest time for a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// Why there is no door; its words say what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDoor {
    /// No address.
    #[error("{0} is no address ({1}); write https://HOST/…")]
    NoAddress(&'static str, String),
    /// A secret in an address is seen by everybody.
    #[error("{0} has a user or password in it: a token comes from the environment alone")]
    Secret(&'static str),
    /// More than a base.
    #[error("{0} ends before `?` and `#`: give the base of the interface alone")]
    Query(&'static str),
    /// Another scheme.
    #[error("{0} begins with https://")]
    Scheme(&'static str),
    /// Without TLS, and not to this computer.
    #[error("{0} is http://, where everybody on the way can read the token: give https://")]
    Clear(&'static str),
    /// No server of mail.
    #[error("{0} is no server of mail ({1}); write smtps://USER:PASSWORD@HOST or smtp://…")]
    NoMail(&'static str, String),
    /// It cannot stand in a header.
    #[error("the token has characters that no token has: check how it is set")]
    Token,
    /// No connection can be made.
    #[error("no connection with TLS can be made: {0}")]
    Tls(String),
    /// A container with nothing in it has none.
    #[error(
        "this computer has no certificates to know a server with https:// by; install them (Debian: `apt install \
         ca-certificates`) or name a file of them in SSL_CERT_FILE"
    )]
    Certificates,
}

/// Who asks. Never shown.
#[derive(Clone)]
pub enum Token {
    /// `Authorization: Bearer …`.
    Bearer(String),
    /// `Authorization: Basic …`: user and token.
    Basic(String, String),
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// What the header says, which is as secret as the token.
    pub fn words(&self) -> String {
        match self {
            Token::Bearer(token) => format!("Bearer {token}"),
            Token::Basic(user, token) => {
                format!(
                    "Basic {}",
                    base64::engine::general_purpose::STANDARD.encode(format!("{user}:{token}"))
                )
            }
        }
    }

    fn header(&self) -> Result<HeaderValue, NoDoor> {
        let mut value = HeaderValue::from_str(&self.words()).map_err(|_| NoDoor::Token)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Where a system answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    url: Url,
    /// What it was given by, such as `--url`.
    given_by: &'static str,
}

impl Base {
    /// Reads an address that was given by a flag or variable of this name.
    ///
    /// # Errors
    /// It is none, or one that a token must not go to.
    pub fn parse(given_by: &'static str, text: &str) -> Result<Base, NoDoor> {
        let base = Base { url: address(given_by, text)?, given_by };
        if base.url.query().is_some() || base.url.fragment().is_some() {
            return Err(NoDoor::Query(given_by));
        }
        Ok(base)
    }

    /// Reads an address that is a secret itself: its host, which may be shown, and path and query for a request.
    ///
    /// # Errors
    /// It is none, or one that a secret must not go to.
    pub fn of_secret(given_by: &'static str, text: &str) -> Result<(Base, String), NoDoor> {
        let mut url = address(given_by, text)?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", url.path().trim_start_matches('/'));
        url.set_path("");
        url.set_query(None);
        url.set_fragment(None);
        Ok((Base { url, given_by }, path))
    }

    /// Host and path, for people.
    pub fn shown(&self) -> String {
        self.url.as_str().trim_end_matches('/').to_owned()
    }

    fn join(&self, path: &str) -> Result<Url, String> {
        let text = format!("{}/{path}", self.url.as_str().trim_end_matches('/'));
        let url = Url::parse(&text).map_err(|why| format!("no address: {why}"))?;
        // A path cannot lead to another host, whatever it says.
        if url.origin() == self.url.origin() {
            Ok(url)
        } else {
            Err("the address leads elsewhere".to_owned())
        }
    }
}

/// An address that a secret may go to: with TLS, or to this computer.
fn address(given_by: &'static str, text: &str) -> Result<Url, NoDoor> {
    let url = Url::parse(text).map_err(|why| NoDoor::NoAddress(given_by, why.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NoDoor::Secret(given_by));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_here(&url) => Ok(url),
        "http" => Err(NoDoor::Clear(given_by)),
        _ => Err(NoDoor::Scheme(given_by)),
    }
}

/// This computer.
pub(crate) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The door to one system.
pub struct Door {
    client: Client,
    base: Base,
    token: Option<HeaderValue>,
    accept: HeaderValue,
}

impl Door {
    /// To this place, as this one; each request has so long.
    ///
    /// # Errors
    /// There can be no connections with TLS here, or the token is none.
    pub fn new(base: Base, token: Option<&Token>, patience: Duration) -> Result<Door, NoDoor> {
        // Somebody else may have said the same before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = token.map(Token::header).transpose()?;
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT.min(patience))
            .timeout(patience)
            .referer(false)
            .user_agent(concat!("farmjank/", env!("CARGO_PKG_VERSION")));
        if base.url.scheme() == "http" {
            // A proxy would get the token in the clear. Certificates are of no use, and may be missing.
            builder = builder.no_proxy().tls_certs_only([]);
        }
        let client = builder.build().map_err(|why| match causes(&why) {
            why if why.contains("No CA certificates") => NoDoor::Certificates,
            why => NoDoor::Tls(why),
        })?;
        let accept = HeaderValue::from_static("application/json");
        Ok(Door { client, base, token, accept })
    }

    /// Sends a request.
    ///
    /// # Errors
    /// There is no answer, or none that can be read whole.
    pub async fn send(&self, request: &Request) -> Result<Answer, Lost> {
        let never = |what: String| Lost { what, maybe_done: false };
        let url = self.base.join(&request.path).map_err(never)?;
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut builder = self.client.request(method, url).header(ACCEPT, self.accept.clone());
        if let Some(token) = &self.token {
            builder = builder.header(AUTHORIZATION, token.clone());
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let mut response = builder.send().await.map_err(|why| self.lost(&why))?;
        let headers = response
            .headers()
            .iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        let mut answer =
            Answer { status: response.status().as_u16(), headers: headers.collect(), body: Vec::new() };
        while let Some(piece) = response.chunk().await.map_err(|why| self.lost(&why))? {
            if answer.body.len() + piece.len() > ANSWER {
                let what = format!(
                    "{} answers with more than {ANSWER} bytes; check {}",
                    self.base.shown(),
                    self.base.given_by
                );
                return Err(Lost { what, maybe_done: true });
            }
            answer.body.extend_from_slice(&piece);
        }
        Ok(answer)
    }

    fn lost(&self, why: &reqwest::Error) -> Lost {
        let (place, given_by) = (self.base.shown(), self.base.given_by);
        let what = if why.is_connect() {
            format!("{place} cannot be reached: {}; check {given_by} and the network", causes(why))
        } else if why.is_timeout() {
            format!("{place} did not answer in time; run this again later")
        } else {
            format!("{place} broke the connection off: {}; run this again later", causes(why))
        };
        Lost { what, maybe_done: !why.is_connect() && !why.is_builder() }
    }
}

/// What lies below an error, without the address, which is said already.
fn causes(why: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut next = std::error::Error::source(why);
    while let Some(one) = next {
        words.push(one.to_string());
        next = one.source();
    }
    if words.is_empty() {
        "no reason is given".to_owned()
    } else {
        farmjank_leaf::text::line(&words.join(": "), 300)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_one_place_and_without_tls_to_this_computer_alone() {
        for good in [
            "https://api.github.com",
            "https://git.acme.com/api/v3/",
            "http://127.0.0.1:80/x",
            "http://[::1]:1",
            "http://localhost",
        ] {
            assert!(Base::parse("--url", good).is_ok(), "{good}");
        }
        for (bad, words) in [
            ("http://git.acme.com", "http://"),
            ("http://127.0.0.1.acme.com", "http://"),
            ("http://localhost.acme.com", "http://"),
            ("https://user:pw@git.acme.com", "user or password"),
            ("https://git.acme.com?x=1", "ends before"),
            ("ftp://git.acme.com", "begins with"),
            ("git.acme.com", "no address"),
        ] {
            let why = Base::parse("--url", bad).expect_err(bad).to_string();
            assert!(why.contains(words) && !why.contains("pw"), "{bad}: {why}");
        }
        let base = Base::parse("--url", "https://git.acme.com/api").expect("good");
        assert_eq!(
            base.join("repos/a/b?x=1").expect("good").as_str(),
            "https://git.acme.com/api/repos/a/b?x=1"
        );
        assert_eq!(
            base.join("@evil.com/x").map(|url| url.host_str().map(str::to_owned)),
            Ok(Some("git.acme.com".to_owned()))
        );
    }

    #[test]
    fn of_an_address_that_is_a_secret_only_the_host_is_shown() {
        let (base, path) =
            Base::of_secret("HOOK", "https://chat.acme.com/services/T0/s3cret?access_token=more#x")
                .expect("good");
        assert_eq!(
            (base.shown().as_str(), path.as_str()),
            ("https://chat.acme.com", "services/T0/s3cret?access_token=more")
        );
        assert_eq!(
            base.join(&path).expect("good").as_str(),
            "https://chat.acme.com/services/T0/s3cret?access_token=more"
        );
        for bad in
            ["http://chat.acme.com/s3cret", "https://u:s3cret@chat.acme.com", "s3cret", "file:///s3cret"]
        {
            let why = Base::of_secret("HOOK", bad).expect_err(bad).to_string();
            assert!(why.starts_with("HOOK ") && !why.contains("s3cret"), "{why}");
        }
    }

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::Basic("bot@acme.com".to_owned(), "hunter2-hunter2".to_owned());
        assert_eq!(format!("{token:?}"), "Token");
        let header = token.header().expect("good");
        assert_eq!(format!("{header:?}"), "Sensitive");
        assert!(Token::Bearer("a\nb".to_owned()).header().is_err());
    }
}
