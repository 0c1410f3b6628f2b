//! A small WebDriver client: one chromedriver and one browser, ended when dropped. HTTP over loopback, JSON in and out.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a browser is a process of the outside world"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Longest wait for one answer of the browser.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Its profile and the pages it opens; removed at the end.
    folder: PathBuf,
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Both programs, or none after a printed reason; in CI a missing one is a failure.
fn programs() -> Option<(PathBuf, PathBuf)> {
    let driver = find("chromedriver");
    let chromium = find("chromium").or_else(|| find("google-chrome"));
    if let Some(both) = driver.zip(chromium) {
        return Some(both);
    }
    assert!(std::env::var("CI").is_err(), "CI needs Debian's chromium and chromium-driver");
    println!("skipped: no chromium and chromedriver (Debian packages chromium, chromium-driver)");
    None
}

/// True once the page has answered: a changed address is told to it in a task of its own, after the click or key.
const ANSWERED: &str = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => done(true)))))";

/// Waits until the page has unpacked what it is about to show.
const QUIET: &str = "const quiet = async () => { while (document.querySelector('[aria-busy=true]')) \
                     await new Promise((next) => setTimeout(next, 5)); };";

/// How often a driver is started: it takes a free port of IPv4, and may end where that of IPv6 is taken by then.
const TRIES: usize = 5;

/// A driver and its port; none where it ended without one.
fn driver(program: &Path, folder: &Path) -> Option<(Child, u16)> {
    let started = Command::new(program)
        .arg("--port=0")
        .env("HOME", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut driver = started.expect("chromedriver starts");
    let mut lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        line.strip_prefix("ChromeDriver was started successfully on port ")?
            .trim_end_matches('.')
            .parse()
            .ok()
    });
    if port.is_none() {
        // Nobody is left behind.
        let _ = driver.kill();
        let _ = driver.wait();
    }
    Some((driver, port?))
}

impl Browser {
    /// Starts one of its own; `name` tells its folder apart. None where there is no browser.
    pub fn start(name: &str) -> Option<Browser> {
        let (program, chromium) = programs()?;
        let folder = std::env::temp_dir().join(format!("farmjank-browser-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the browser");
        let (driver, port) =
            (0..TRIES).find_map(|_| driver(&program, &folder)).expect("chromedriver says its port");
        let mut browser = Browser { driver, port, session: String::new(), folder };
        let profile = format!("--user-data-dir={}", browser.folder.join("profile").display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,1000",
            &profile,
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chromium, "args": args },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let made = browser.ask("POST", "/session", &wanted);
        browser.session = made["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("chromedriver reads");
        let mut reader = BufReader::new(stream);
        let mut length = None;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("an answer in time");
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            length = length.or_else(|| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        }
        let mut bytes = vec![0; length.expect("an answer says how long it is")];
        reader.read_exact(&mut bytes).expect("a whole answer");
        let mut answer: Value = serde_json::from_slice(&bytes).expect("JSON");
        let value = answer["value"].take();
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{what}", self.session), body)
    }

    /// Opens a page from a file of its own.
    pub fn open(&self, html: &[u8], hash: &str) {
        let file = self.folder.join("report.html");
        std::fs::write(&file, html).expect("a page can be written");
        // Another address first: a change of the part after # alone loads nothing.
        self.post("url", &json!({ "url": "about:blank" }));
        self.post("url", &json!({ "url": format!("file://{}{hash}", file.display()) }));
    }

    /// Opens an address.
    pub fn visit(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
    }

    /// The value of an expression in the page, once nothing is being unpacked; of a promise, what it comes to.
    pub fn eval(&self, expression: &str) -> Value {
        let script = format!("{QUIET} return quiet().then(() => ({expression}));");
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The text an expression comes to.
    pub fn text(&self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    /// The count an expression comes to.
    pub fn count(&self, expression: &str) -> u64 {
        let value = self.eval(expression);
        value.as_u64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Clicks where a selector first matches, as a hand would, and lets the page answer.
    pub fn click(&self, selector: &str) {
        self.press(selector);
        self.eval(ANSWERED);
    }

    /// The same where the click opens another window: this one is behind it then, and draws nothing that could be
    /// waited for.
    pub fn press(&self, selector: &str) {
        self.eval("true");
        let found = self.post("element", &json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|one| one.values().next()).and_then(Value::as_str);
        self.post(&format!("element/{}/click", id.expect("an element")), &json!({}));
    }

    /// Presses a key with the page in front, `Escape` or `j`, and lets the page answer: a changed address is told to it
    /// in a task of its own, after the key.
    pub fn key(&self, key: &str) {
        self.eval("true");
        let text = if key.chars().count() == 1 { json!(key) } else { json!("") };
        for kind in ["keyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": key, "text": if kind == "keyDown" { text.clone() } else { json!("") } });
            self.chrome("Input.dispatchKeyEvent", &params);
        }
        self.eval(ANSWERED);
    }

    /// Moves the mouse, with its left button down or not: `mouseMoved`, `mousePressed`, `mouseReleased`.
    pub fn mouse(&self, kind: &str, (x, y): (f64, f64), down: bool, shift: bool) {
        let button = if down { "left" } else { "none" };
        let params = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": u8::from(down),
            "clickCount": u8::from(down), "modifiers": if shift { 8 } else { 0 } });
        self.chrome("Input.dispatchMouseEvent", &params);
    }

    /// A command of Chromium's own protocol.
    pub fn chrome(&self, command: &str, params: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// A picture of what is shown, as PNG in base64.
    pub fn picture(&self) -> String {
        let shot = self.ask("GET", &format!("/session/{}/screenshot", self.session), &json!(null));
        shot.as_str().expect("a picture").to_owned()
    }

    /// What the console said since the last time, without mere information.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "browser" }));
        let said = entries.as_array().into_iter().flatten();
        said.filter(|entry| entry["level"] != "INFO" && entry["level"] != "DEBUG")
            .map(Value::to_string)
            .collect()
    }

    /// Addresses the page asked for since the last time.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "performance" }));
        let message = |entry: &Value| serde_json::from_str::<Value>(entry["message"].as_str()?).ok();
        let messages = entries.as_array().into_iter().flatten().filter_map(message);
        let sent = messages.filter(|one| one["message"]["method"] == "Network.requestWillBeSent");
        sent.filter_map(|one| Some(one["message"]["params"]["request"]["url"].as_str()?.to_owned())).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A failed test ends its browser too. chromedriver closes it before it answers; the answer itself does not
        // matter.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let _ = write!(
                stream,
                "DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                self.session, self.port
            );
            let _ = stream.read(&mut [0; 1]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
