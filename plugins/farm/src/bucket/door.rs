//! The one way to a bucket: requests of the S3 protocol, with the credentials that are customary for it.
#![allow(clippy::disallowed_types, reason = "the one way out of this crate to a bucket")]

use super::Bucket;
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use object_store::aws::AmazonS3Builder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, Error, RetryConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Longest way of one object: a build over a slow line.
const REQUEST: Duration = Duration::from_mins(10);
const CONNECT: Duration = Duration::from_secs(10);
/// Whoever asks asks again; here only what passes at once is tried twice.
const RETRIES: usize = 2;
const RETRIED: Duration = Duration::from_secs(10);

/// Makes connections, encrypted by what the farm's own are.
#[derive(Debug)]
struct Connector {
    /// Also to a store without TLS.
    plain: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient, Error> {
        let client = reqwest::Client::builder().timeout(REQUEST).connect_timeout(CONNECT);
        let client = client.https_only(!self.plain).build();
        let generic = |why: reqwest::Error| Error::Generic { store: "S3", source: Box::new(why) };
        client.map(HttpClient::new).map_err(generic)
    }
}

impl Bucket {
    /// A bucket by its name, `s3://BUCKET/FOLDER`, and variables as other tools of the protocol read them:
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT`, `AWS_REGION` and so on.
    ///
    /// # Errors
    /// `usage`: it is no such name, or the variables are none.
    pub fn open(place: &str, variables: &BTreeMap<String, String>) -> Result<Bucket, Fault> {
        let usage = |what: String| Fault::new(FaultCode::Usage, format!("--farm-objects: {what}"));
        let told = line(place, 200);
        let named = place.strip_prefix("s3://").filter(|rest| !rest.is_empty() && !rest.contains(['@', '?']));
        let named = named.ok_or_else(|| usage(format!("`{told}` is not s3://BUCKET/FOLDER")))?;
        let (bucket, folder) = named.split_once('/').unwrap_or((named, ""));
        // Without it there is nothing that encrypts.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = AmazonS3Builder::new();
        for (name, value) in variables {
            // What else begins like that is for others.
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                builder = builder.with_config(key, value);
            }
        }
        let plain = variables.get("AWS_ALLOW_HTTP").is_some_and(|value| value == "true");
        let retry =
            RetryConfig { max_retries: RETRIES, retry_timeout: RETRIED, backoff: BackoffConfig::default() };
        let store = builder
            .with_bucket_name(bucket)
            .with_http_connector(Connector { plain })
            .with_retry(retry)
            .build();
        let store = store.map_err(|why| usage(line(&why.to_string(), 200)))?;
        Ok(Bucket::of(Arc::new(PrefixStore::new(store, folder)), &told))
    }
}
