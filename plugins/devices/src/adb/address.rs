//! Which adb servers to talk to: those somebody names, else those of adb's own environment variables. Pure: the caller
//! reads them.

use farmjank_seams::host::Address;

/// Where adb servers listen unless told otherwise.
pub(crate) const DEFAULT_PORT: u16 = 5037;

/// A value of adb's environment variables that names no server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No port.
    #[error("ANDROID_ADB_SERVER_PORT is {0:?}; write a port number from 1 to 65535")]
    Port(String),
    /// No host.
    #[error(
        "ANDROID_ADB_SERVER_ADDRESS has {0:?}, which cannot be read; write a host name, an IP address, or HOST:PORT \
         with a port from 1 to 65535"
    )]
    Host(String),
    /// No TCP socket.
    #[error("ADB_SERVER_SOCKET has {item:?}: {why}; write tcp:HOST:PORT, tcp:PORT or tcp:[IPV6]:PORT")]
    Socket {
        /// The item of the list.
        item: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A socket of another kind than TCP.
    #[error(
        "ADB_SERVER_SOCKET has {item:?}: {form} sockets are not supported; let the server listen on TCP (`adb -P 5037 \
         server nodaemon`, or forward the socket with `ssh -L` or socat) and write tcp:HOST:PORT"
    )]
    Form {
        /// The item of the list.
        item: String,
        /// Its kind.
        form: String,
    },
    /// Named, and no address.
    #[error(
        "{0:?} is no address of an adb server; write HOST:PORT, HOST (port 5037) or [IPV6]:PORT, with a port from 1 to 65535"
    )]
    Named(String),
    /// Nothing but commas.
    #[error("the list of adb servers names none; write for example tcp:127.0.0.1:5037")]
    Empty,
}

/// The servers named by `ADB_SERVER_SOCKET`, else by `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT`, else
/// 127.0.0.1:5037. Both the socket and the address may be comma lists.
///
/// `tcp:PORT`, `tcp:HOST:PORT` and `tcp:[IPV6]:PORT` are sockets; an address is `HOST`, `HOST:PORT`, `IPV6` or
/// `[IPV6]:PORT`.
///
/// # Errors
/// What cannot be read, and what to write instead.
pub fn servers_from_env(
    adb_server_socket: Option<&str>,
    address: Option<&str>,
    port: Option<&str>,
) -> Result<Vec<Address>, AddressError> {
    let given = |value: Option<&str>| value.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut servers = Vec::new();
    if let Some(list) = given(adb_server_socket) {
        for item in items(&list) {
            servers.push(socket(item)?);
        }
    } else {
        let port = match given(port) {
            Some(text) => read_port(&text).ok_or(AddressError::Port(text))?,
            None => DEFAULT_PORT,
        };
        let list = given(address).unwrap_or_else(|| "127.0.0.1".to_owned());
        for item in items(&list) {
            servers.push(host_and_port(item, port)?);
        }
    }
    each_once(servers)
}

/// The servers somebody names: `HOST:PORT`, `HOST`, `IPV6`, `[IPV6]:PORT`, each also behind `tcp:`.
///
/// # Errors
/// The first that cannot be read, and what to write instead; none is named.
pub fn servers_named<S: AsRef<str>>(named: &[S]) -> Result<Vec<Address>, AddressError> {
    let read = |item: &str| match item.strip_prefix("tcp:") {
        Some(_) => socket(item),
        None => host_and_port(item, DEFAULT_PORT),
    };
    let all = named.iter().flat_map(|list| items(list.as_ref()));
    let all = all.map(|item| read(item).map_err(|_| AddressError::Named(item.to_owned())));
    each_once(all.collect::<Result<Vec<_>, _>>()?)
}

fn each_once(servers: Vec<Address>) -> Result<Vec<Address>, AddressError> {
    let mut unique: Vec<Address> = Vec::new();
    for server in servers {
        if !unique.iter().any(|known| is_same(known, &server)) {
            unique.push(server);
        }
    }
    match unique.is_empty() {
        true => Err(AddressError::Empty),
        false => Ok(unique),
    }
}

/// The two names of this computer name one server: its phones would be listed twice.
fn is_same(one: &Address, other: &Address) -> bool {
    let here = |host: &str| host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1";
    match (one, other) {
        (Address::Tcp(one, port), Address::Tcp(other, same)) => {
            port == same && (one.eq_ignore_ascii_case(other) || (here(one) && here(other)))
        }
        _ => one == other,
    }
}

/// Nobody but this computer reaches the address, so a server may be started there.
pub fn is_loopback(address: &Address) -> bool {
    match address {
        Address::Tcp(host, _) => {
            host.eq_ignore_ascii_case("localhost")
                || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        Address::Lab(_) => false,
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn socket(item: &str) -> Result<Address, AddressError> {
    let wrong = |why: &'static str| Err(AddressError::Socket { item: item.to_owned(), why });
    let Some(rest) = item.strip_prefix("tcp:") else {
        return wrong(match item.split_once(':') {
            Some((
                form @ ("localfilesystem" | "local" | "localabstract" | "localreserved" | "vsock"
                | "acceptfd"),
                _,
            )) => {
                return Err(AddressError::Form { item: item.to_owned(), form: form.to_owned() });
            }
            _ => "it is not a tcp socket",
        });
    };
    if let Some(port) = read_port(rest) {
        return Ok(Address::Tcp("127.0.0.1".to_owned(), port));
    }
    match split_port(rest) {
        Some((host, Some(port))) if !host.is_empty() => Ok(Address::Tcp(host.to_owned(), port)),
        Some((_, None)) => wrong("the port is missing"),
        _ => wrong("it cannot be read"),
    }
}

fn host_and_port(item: &str, port: u16) -> Result<Address, AddressError> {
    match split_port(item) {
        Some((host, own)) if !host.is_empty() => Ok(Address::Tcp(host.to_owned(), own.unwrap_or(port))),
        _ => Err(AddressError::Host(item.to_owned())),
    }
}

/// Host and port of `host`, `host:port`, `[v6]`, `[v6]:port`, or a bare IPv6 address.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        host.parse::<std::net::Ipv6Addr>().ok()?;
        return match after {
            "" => Some((host, None)),
            _ => Some((host, Some(read_port(after.strip_prefix(':')?)?))),
        };
    }
    if text.parse::<std::net::Ipv6Addr>().is_ok() {
        return Some((text, None));
    }
    match text.split_once(':') {
        None => plain(text).map(|host| (host, None)),
        Some((host, port)) => Some((plain(host)?, Some(read_port(port)?))),
    }
}

fn plain(host: &str) -> Option<&str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (!host.is_empty() && host.bytes().all(fits)).then_some(host)
}

fn read_port(text: &str) -> Option<u16> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
        .filter(|&port| port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(host: &str, port: u16) -> Address {
        Address::Tcp(host.into(), port)
    }

    #[test]
    fn values_of_the_environment() {
        let ok = |socket, address, port| servers_from_env(socket, address, port).unwrap();
        assert_eq!(ok(None, None, None), [tcp("127.0.0.1", 5037)]);
        assert_eq!(ok(Some(" "), Some(""), Some("")), [tcp("127.0.0.1", 5037)]);
        assert_eq!(ok(None, Some("rack7"), Some("15037")), [tcp("rack7", 15037)]);
        assert_eq!(
            ok(None, Some("::1, rack8:6000,[fe80::1]:7"), None),
            [tcp("::1", 5037), tcp("rack8", 6000), tcp("fe80::1", 7)]
        );
        assert_eq!(ok(Some("tcp:5038"), Some("ignored"), Some("ignored")), [tcp("127.0.0.1", 5038)]);
        assert_eq!(
            ok(Some("tcp:host:1,tcp:[::1]:2,tcp:host:1"), None, None),
            [tcp("host", 1), tcp("::1", 2)]
        );
    }

    #[test]
    fn named_servers_are_taken_once_each() {
        let named = |all: &[&str]| servers_named(all);
        assert_eq!(
            named(&["rack7:15037, rack8", "tcp:[::1]:7", "RACK8:5037"]),
            Ok(vec![tcp("rack7", 15037), tcp("rack8", 5037), tcp("::1", 7)])
        );
        assert_eq!(named(&["localhost:5037", "127.0.0.1"]), Ok(vec![tcp("localhost", 5037)]));
        for bad in ["rack7:0", "rack7:", "a b", "tcp:rack7", "local:x", "http://rack7"] {
            assert_eq!(named(&[bad]), Err(AddressError::Named(bad.to_owned())));
        }
        assert_eq!(named(&[","]), Err(AddressError::Empty));
    }

    #[test]
    fn what_cannot_be_is_refused_with_words() {
        let words = |socket, address, port| servers_from_env(socket, address, port).unwrap_err().to_string();
        assert!(words(Some("localfilesystem:/run/adb.sock"), None, None).contains("not supported"));
        assert!(words(Some("rack7:5037"), None, None).contains("tcp:HOST:PORT"));
        assert!(words(Some("tcp:rack7"), None, None).contains("port is missing"));
        for bad in ["tcp:", "tcp:0", "tcp:host:99999", "tcp:[::1", "tcp:a b:1", "tcp:[x]:1"] {
            assert!(words(Some(bad), None, None).contains("ADB_SERVER_SOCKET"), "{bad}");
        }
        assert!(words(None, None, Some("+5")).contains("ANDROID_ADB_SERVER_PORT"));
        assert!(words(None, Some("a/b"), None).contains("ANDROID_ADB_SERVER_ADDRESS"));
        assert!(words(Some(","), None, None).contains("names none"));
    }

    #[test]
    fn loopback_is_this_computer_only() {
        assert!(
            is_loopback(&tcp("127.0.0.1", 1))
                && is_loopback(&tcp("::1", 1))
                && is_loopback(&tcp("LocalHost", 1))
        );
        assert!(
            !is_loopback(&tcp("0.0.0.0", 1))
                && !is_loopback(&tcp("rack7", 1))
                && !is_loopback(&Address::Lab(0))
        );
    }
}
