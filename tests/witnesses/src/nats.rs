//! A real NATS server, started for one test on a free port, its store in a folder of its own.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a real program")]

use crate::ports::free_port;
use std::path::{Path, PathBuf};
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
    /// With its configuration, and what it keeps.
    folder: PathBuf,
    /// Where it listens, and where it tells of itself.
    urls: (String, String),
    /// Goes with it.
    own: Option<tempfile::TempDir>,
}

impl NatsServer {
    /// One that syncs every write, with more configuration at will; none, with a printed reason, where no program is
    /// named.
    ///
    /// # Panics
    /// One is named and does not start, or this is CI and none is named.
    pub fn start(more: &str) -> Option<NatsServer> {
        let own = tempfile::tempdir().expect("a folder");
        let config = format!(
            "max_payload: 1048576\njetstream {{ store_dir: \"store\", sync_interval: always }}\n{more}\n"
        );
        std::fs::write(own.path().join("nats.conf"), config).expect("a file");
        let mut server = NatsServer::configured(own.path())?;
        server.own = Some(own);
        Some(server)
    }

    /// Three that keep one store together; none as in `start`.
    ///
    /// # Panics
    /// As `start`.
    pub fn cluster() -> Option<Vec<NatsServer>> {
        let routes: Vec<String> = (0..3).map(|_| format!("127.0.0.1:{}", free_port())).collect();
        let all = routes.iter().map(|route| format!("\"nats://{route}\"")).collect::<Vec<_>>().join(", ");
        let one = |(number, route): (usize, &String)| {
            NatsServer::start(&format!(
                "server_name: n{number}\ncluster {{ name: farm, listen: \"{route}\", routes: [ {all} ] }}"
            ))
        };
        routes.iter().enumerate().map(one).collect()
    }

    /// One with the `nats.conf` of this folder as it stands there, but for the ports.
    ///
    /// # Panics
    /// As `start`.
    pub fn configured(folder: &Path) -> Option<NatsServer> {
        let Ok(program) = std::env::var(PROGRAM) else {
            assert!(std::env::var_os("CI").is_none(), "CI must have a NATS server, named by {PROGRAM}");
            println!("skipped: no NATS server, see {PROGRAM} in .ci/run");
            return None;
        };
        let child = launch(&program, folder, &free_port().to_string());
        let urls = (String::new(), String::new());
        let mut server = NatsServer { program, child, folder: folder.to_owned(), urls, own: None };
        server.urls = server.listens();
        Some(server)
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.urls.0.clone()
    }

    /// Where it tells of itself.
    pub fn monitor(&self) -> String {
        self.urls.1.clone()
    }

    /// The folder its store is in.
    pub fn store(&self) -> PathBuf {
        self.folder.join("store")
    }

    /// What it wrote.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Has it read its configuration again.
    ///
    /// # Panics
    /// There is no `kill`.
    pub fn reload(&self) {
        let told = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(told.expect("kill runs").success(), "it was there");
    }

    /// Kills it as a power switch does.
    pub fn kill(&mut self) {
        drop(self.child.kill());
        self.child.wait().expect("it was ours");
    }

    /// Starts it again after it was killed, on the port it had.
    pub fn again(&mut self) {
        let port = self.urls.0.rsplit(':').next().unwrap_or_default();
        self.child = launch(&self.program, &self.folder, port);
        self.urls = self.listens();
    }

    /// Where, once it listens: it writes it into a file.
    fn listens(&mut self) -> (String, String) {
        let file = format!("nats-server_{}.ports", self.child.id());
        let (file, until) = (self.folder.join(file), Instant::now() + SOON);
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let mut urls = text.split('"').filter(|url| url.contains("://127.0.0.1:")).map(str::to_owned);
            if let (Some(url), Some(monitor)) = (urls.next(), urls.next()) {
                return (url, monitor);
            }
            let ended = self.child.try_wait().expect("it is ours");
            assert!(ended.is_none() && Instant::now() < until, "the server does not listen: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn launch(program: &str, folder: &Path, port: &str) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join("log"));
    let mut server = Command::new(program);
    server.current_dir(folder).args(["-c", "nats.conf", "-a", "127.0.0.1", "-p", port, "-m", "-1"]);
    server.arg("--ports_file_dir").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
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

    /// A server's certificate and its key, as files.
    pub fn server_files(&self) -> [PathBuf; 2] {
        ["farm.pem", "farm.key"].map(|name| self.0.path().join(name))
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
