//! A real NATS server, started for one test on a free port, its store in a folder of its own.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a real program")]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where the program is. Without it there is no server.
const PROGRAM: &str = "FARMJANK_TEST_NATS_SERVER";
/// It listens before that.
const SOON: Duration = Duration::from_secs(20);

/// A server; killed when dropped.
pub struct NatsServer {
    program: String,
    child: Child,
    /// What it keeps.
    folder: tempfile::TempDir,
    port: u16,
}

impl NatsServer {
    /// One that syncs every write, with more configuration at will; none, with a printed reason, where no program is
    /// named.
    ///
    /// # Panics
    /// One is named and does not start, or this is CI and none is named.
    pub fn start(more: &str) -> Option<NatsServer> {
        let Ok(program) = std::env::var(PROGRAM) else {
            assert!(std::env::var_os("CI").is_none(), "CI must have a NATS server, named by {PROGRAM}");
            println!("skipped: no NATS server, see {PROGRAM} in .ci/run");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().display();
        let config = format!(
            "listen: \"127.0.0.1:-1\"\nports_file_dir: \"{at}\"\nmax_payload: 1048576\n\
             jetstream {{ store_dir: \"{at}/store\", sync_interval: always }}\n{more}\n"
        );
        std::fs::write(folder.path().join("nats.conf"), config).expect("a file");
        let child = launch(&program, &folder);
        let mut server = NatsServer { program, child, folder, port: 0 };
        server.port = server.listens();
        Some(server)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The folder its store is in.
    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Kills it as a power switch does.
    pub fn kill(&mut self) {
        drop(self.child.kill());
        self.child.wait().expect("it was ours");
    }

    /// Starts it again after it was killed, on the port it had.
    pub fn again(&mut self) {
        let config = self.folder.path().join("nats.conf");
        let text = std::fs::read_to_string(&config).expect("a file");
        let fixed = text.replace("127.0.0.1:-1", &format!("127.0.0.1:{}", self.port));
        std::fs::write(&config, fixed).expect("a file");
        self.child = launch(&self.program, &self.folder);
        self.listens();
    }

    /// The port, once it listens: it writes it into a file.
    fn listens(&mut self) -> u16 {
        let file = format!("nats-server_{}.ports", self.child.id());
        let (file, until) = (self.folder.path().join(file), Instant::now() + SOON);
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let port = text.split("://127.0.0.1:").nth(1).and_then(|rest| rest.split('"').next());
            if let Some(port) = port.and_then(|port| port.parse().ok()) {
                return port;
            }
            let ended = self.child.try_wait().expect("it is ours");
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(ended.is_none() && Instant::now() < until, "the server does not listen: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn launch(program: &str, folder: &tempfile::TempDir) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.path().join("log"));
    let mut server = Command::new(program);
    server.arg("-c").arg(folder.path().join("nats.conf")).stdin(Stdio::null()).stdout(Stdio::null());
    server.stderr(log.expect("a file")).spawn().expect("the named server starts")
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An authority of certificates, made for one test by the `openssl` program, and a server's certificate of it.
pub struct Authority(tempfile::TempDir);

impl Authority {
    /// Makes one; none, with a printed reason, where there is no `openssl`.
    ///
    /// # Panics
    /// It fails, or this is CI and there is none.
    pub fn make() -> Option<Authority> {
        let folder = tempfile::tempdir().expect("a folder");
        if Command::new("openssl").arg("version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "CI must have openssl");
            println!("skipped: no openssl");
            return None;
        }
        std::fs::write(folder.path().join("names"), "subjectAltName=IP:127.0.0.1\n").expect("a file");
        let key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"];
        let made = [
            [&["req", "-x509", "-subj", "/CN=lab", "-keyout", "ca.key", "-out", "ca.pem"][..], &key[..]]
                .concat(),
            [&["req", "-subj", "/CN=farm", "-keyout", "farm.key", "-out", "farm.csr"][..], &key[..3]]
                .concat(),
            [
                &["x509", "-req", "-in", "farm.csr", "-CA", "ca.pem", "-CAkey", "ca.key"][..],
                &["-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "farm.pem"],
            ]
            .concat(),
        ];
        for args in made {
            let done = Command::new("openssl").args(&args).current_dir(folder.path()).output();
            let done = done.expect("openssl runs");
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        }
        Some(Authority(folder))
    }

    /// What a server is told of its certificate.
    pub fn server_config(&self) -> String {
        let at = self.0.path().display();
        format!("tls {{ cert_file: \"{at}/farm.pem\", key_file: \"{at}/farm.key\" }}")
    }

    /// The authority's own certificate.
    pub fn certificate(&self) -> PathBuf {
        self.0.path().join("ca.pem")
    }
}
