//! A server of HTTP/1.1 with faults by plan, real sockets and a thread for each connection. What it serves is a model
//! of a system ([`Model`]); every request it saw is kept.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Seen {
    pub fn query(&self, name: &str) -> &str {
        self.query.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    pub fn writes(&self) -> bool {
        self.method != "GET"
    }
}

/// What is answered.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Reply {
        Reply { status, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Reply {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A system.
pub trait Model: Send + 'static {
    fn answer(&mut self, request: &Seen) -> Reply;
}

/// What goes wrong, once.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This status and these headers; nothing is done.
    Status(u16, Vec<(&'static str, String)>),
    /// It is done, and nobody is told: the connection is cut.
    DoneAndCut,
    /// It is done, and the answer breaks off in its middle.
    DoneAndTorn,
    /// It is done, and the server says that it fell over.
    DoneAndStatus(u16),
    /// The connection is cut, and nothing is done.
    Cut,
    /// No answer for a long time; nothing is done.
    Hang,
    /// An answer that is none.
    Garbage,
    /// An answer without an end.
    Huge,
}

type Chosen = Box<dyn Fn(&Seen) -> bool + Send>;

/// A served model.
pub struct Server<M> {
    pub url: String,
    inside: Arc<Mutex<Inside<M>>>,
}

pub struct Inside<M> {
    pub model: M,
    pub seen: Vec<Seen>,
    faults: Vec<(Chosen, Fault)>,
}

impl<M: Model> Server<M> {
    pub fn of(model: M) -> Server<M> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let inside = Arc::new(Mutex::new(Inside { model, seen: Vec::new(), faults: Vec::new() }));
        let shared = inside.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Server { url, inside }
    }

    pub fn inside(&self) -> MutexGuard<'_, Inside<M>> {
        self.inside.lock().expect("nobody panicked")
    }

    /// The next request that is chosen goes wrong so.
    pub fn plan(&self, chosen: impl Fn(&Seen) -> bool + Send + 'static, fault: Fault) {
        self.inside().faults.push((Box::new(chosen), fault));
    }

    /// How many requests there were and how many of them write, since this was asked last.
    pub fn counted(&self) -> (usize, usize) {
        let seen = std::mem::take(&mut self.inside().seen);
        (seen.len(), seen.iter().filter(|one| one.writes()).count())
    }

    /// No fault is left that was planned.
    pub fn all_faults_happened(&self) {
        assert_eq!(self.inside().faults.len(), 0, "a fault was never met");
    }
}

fn serve<M: Model>(stream: TcpStream, inside: &Mutex<Inside<M>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let (reply, fault) = {
            let mut inside = inside.lock().expect("nobody panicked");
            inside.seen.push(request.clone());
            let at = inside.faults.iter().position(|(chosen, _)| chosen(&request));
            let fault = at.map(|at| inside.faults.remove(at).1);
            let done = !matches!(
                fault,
                Some(Fault::Status(..) | Fault::Cut | Fault::Hang | Fault::Garbage | Fault::Huge)
            );
            (done.then(|| inside.model.answer(&request)), fault)
        };
        let stream = reader.get_mut();
        let status =
            |status: u16| Reply { status, headers: Vec::new(), body: b"{\"message\": \"planned\"}".to_vec() };
        let sent = match fault {
            None | Some(Fault::DoneAndTorn) => {
                let reply = reply.expect("an answer");
                let torn = fault.is_some();
                let body = if torn { &reply.body[..reply.body.len() / 2] } else { &reply.body[..] };
                let sent = head(stream, &reply, reply.body.len()).and_then(|()| stream.write_all(body));
                if torn { Err(std::io::Error::other("torn")) } else { sent }
            }
            Some(Fault::Status(code, headers)) => {
                let mut reply = status(code);
                reply.headers.extend(headers.into_iter().map(|(name, value)| (name.to_owned(), value)));
                head(stream, &reply, reply.body.len()).and_then(|()| stream.write_all(&reply.body))
            }
            Some(Fault::DoneAndStatus(code)) => {
                let reply = status(code);
                head(stream, &reply, reply.body.len()).and_then(|()| stream.write_all(&reply.body))
            }
            Some(Fault::Garbage) => {
                let reply = Reply { status: 200, headers: Vec::new(), body: b"<html>\xff\xfe".to_vec() };
                head(stream, &reply, reply.body.len()).and_then(|()| stream.write_all(&reply.body))
            }
            Some(Fault::Huge) => {
                let reply = Reply { status: 200, headers: Vec::new(), body: Vec::new() };
                head(stream, &reply, 1 << 40).and_then(|()| {
                    let block = vec![b' '; 1 << 20];
                    (0..1 << 10).try_for_each(|_| stream.write_all(&block))
                })
            }
            Some(Fault::Hang) => {
                std::thread::sleep(Duration::from_secs(60));
                Err(std::io::Error::other("over"))
            }
            Some(Fault::Cut | Fault::DoneAndCut) => Err(std::io::Error::other("cut")),
        };
        if sent.is_err() {
            return;
        }
    }
}

fn head(stream: &mut TcpStream, reply: &Reply, length: usize) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {} x\r\ncontent-length: {length}\r\ncontent-type: application/json\r\n",
        reply.status
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().expect("a length"))];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("JSON") };
    Some(Seen { method, path: path.to_owned(), query, headers, body })
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let hex: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&hex, 16).expect("two digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// The page of a list that is asked for by number, and whether there is one after it.
pub fn page(all: &[Value], wanted: &str, size: usize) -> (Vec<Value>, Option<usize>) {
    let nth: usize = wanted.parse().unwrap_or(1);
    let from = (nth - 1) * size;
    let items: Vec<Value> = all.iter().skip(from).take(size).cloned().collect();
    (items, (from + size < all.len()).then_some(nth + 1))
}
