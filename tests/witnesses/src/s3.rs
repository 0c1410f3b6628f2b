//! An S3-compatible store with one bucket, `farm`, and one user who is let in: moto's, started for one test on a free
//! port.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a real program")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The folder that moto is installed in. Without it there is no store.
const FOLDER: &str = "FARMJANK_TEST_MOTO";

/// A store; gone when dropped.
pub struct S3Server {
    child: Child,
    port: String,
    /// Whom it lets in.
    key: (String, String),
}

impl S3Server {
    /// One that is empty; none, with a printed reason, where no folder is named.
    ///
    /// # Panics
    /// One is named and does not start, or this is CI and none is named.
    pub fn start() -> Option<S3Server> {
        let Ok(folder) = std::env::var(FOLDER) else {
            assert!(std::env::var_os("CI").is_none(), "CI must have moto, in the folder {FOLDER} names");
            println!("skipped: no store for objects, see {FOLDER} in .ci/run");
            return None;
        };
        let mut command = Command::new("python3");
        command.args(["-c", include_str!("s3.py")]).env("PYTHONPATH", folder);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().expect("python3 starts");
        let mut line = String::new();
        let told = BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let [port, id, secret] = words[..] else { panic!("moto does not start: {told:?} {line}") };
        let key = (id.to_owned(), secret.to_owned());
        Some(S3Server { child, port: port.to_owned(), key })
    }

    /// The variables by which its user reaches it.
    pub fn variables(&self) -> [(&'static str, String); 5] {
        let (id, secret) = self.key.clone();
        [
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", id),
            ("AWS_SECRET_ACCESS_KEY", secret),
        ]
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
