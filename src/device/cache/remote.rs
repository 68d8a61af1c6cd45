//! The level that machines share: entries in a Redis store.
//!
//! An entry is compressed and sealed: its HMAC-SHA256, under a key that the user gives, covers the entry's own key, its
//! length, its checksum and its content, so that neither the store nor anyone who writes to it can have other code loaded.
//!
//! Invariants:
//! - all calls of one compilation together take no longer than the limit, whatever the server does or does not;
//! - no more bytes are read than an entry may have, and nothing is unpacked before its seal was verified;
//! - whatever goes wrong costs a miss and a line of the log.
//!
//! Deliberately absent: connections that outlive a call, TLS (`rediss://` is refused), and clusters.

use super::{Item, Items, Key, hex};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use hmac::{Hmac, KeyInit, Mac};
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, Parser, Value};
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Begins every entry, and changes with its layout.
const MAGIC: &[u8; 8] = b"litzrem1";
const SEAL_BYTES: usize = 32;
const HEADER_BYTES: usize = MAGIC.len() + SEAL_BYTES + 8 + 32;
/// What an answer has beside the entry.
const ANSWER_BYTES: u64 = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For all calls of a compilation together.
    pub timeout: Duration,
    /// Of an entry, as it is stored and as it is unpacked to.
    pub max_bytes: u64,
    /// How long the store keeps an entry.
    pub expiry: Duration,
}

/// A store, for one compilation.
#[derive(Clone)]
pub struct Remote {
    host: String,
    port: u16,
    server: ConnectionInfo,
    secret: Arc<[u8]>,
    limits: Limits,
    /// What calls took so far.
    spent: Arc<Mutex<Duration>>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Remote({}:{})", self.host, self.port)
    }
}

/// Whether a URL names a store, or why not. The reason does not repeat it: it may hold a password.
pub fn check_url(url: &str) -> Result<(), String> {
    parse(url).map(drop)
}

fn parse(url: &str) -> Result<(String, u16, ConnectionInfo), String> {
    let server = url
        .into_connection_info()
        .map_err(|e| format!("it is redis://[user:password@]host[:port][/database]: {e}"))?;
    match server.addr().clone() {
        ConnectionAddr::Tcp(host, port) => Ok((host, port, server)),
        _ => Err(
            "only redis:// over TCP is known; encrypted connections and sockets of files are not supported"
                .into(),
        ),
    }
}

impl Remote {
    pub fn new(url: &str, secret: &str, limits: Limits) -> Result<Remote, String> {
        let (host, port, server) = parse(url)?;
        Ok(Remote { host, port, server, secret: secret.as_bytes().into(), limits, spent: Arc::default() })
    }

    /// What tells this store from others.
    pub fn name(&self) -> String {
        format!("{}:{}/{}", self.host, self.port, self.server.redis_settings().db())
    }

    /// What is stored under a key. An error: something is, and it is not used, or the store cannot be asked.
    pub fn load(&self, key: &Key) -> Result<Option<Items>, String> {
        let name = name_of(key);
        let found = self.call(redis::cmd("GET").arg(name)).map_err(|e| self.cannot("is not asked", &e))?;
        match found {
            Value::Nil => Ok(None),
            Value::BulkString(sealed) => match self.open(key, &sealed) {
                Ok(items) => Ok(Some(Arc::new(items))),
                Err(why) => Err(self.cannot("holds an entry that is not used", &why)),
            },
            _ => Err(self.cannot("is not asked", "it answers what no Redis store does")),
        }
    }

    /// Keeps items under a key, where they are not too large.
    pub fn store(&self, key: &Key, items: &Items) -> Result<(), String> {
        let sealed =
            self.seal(key, items).map_err(|e| self.cannot("does not get an entry", &e.to_string()))?;
        if sealed.len() as u64 > self.limits.max_bytes {
            return Ok(());
        }
        let seconds = self.limits.expiry.as_secs().max(1);
        let mut command = redis::cmd("SET");
        command.arg(name_of(key)).arg(sealed).arg("EX").arg(seconds);
        match self.call(&command).map_err(|e| self.cannot("does not keep an entry", &e))? {
            Value::Okay => Ok(()),
            _ => Err(self.cannot("does not keep an entry", "it answers what no Redis store does")),
        }
    }

    fn cannot(&self, what: &str, why: &str) -> String {
        format!("the remote cache at {}:{} {what}: {why}", self.host, self.port)
    }

    /// Sends one command on a new connection, within the remaining time.
    fn call(&self, command: &redis::Cmd) -> Result<Value, String> {
        let began = Instant::now();
        let mut spent = self.spent.lock().unwrap_or_else(|e| e.into_inner());
        let left = self.limits.timeout.saturating_sub(*spent);
        let result = self.ask(command, began + left);
        *spent += began.elapsed();
        result
    }

    fn ask(&self, command: &redis::Cmd, until: Instant) -> Result<Value, String> {
        let told = |e: io::Error| match e.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("no answer within cache.remote_timeout ({} s)", self.limits.timeout.as_secs_f64())
            }
            _ => e.to_string(),
        };
        let mut line = self.connect(until).map_err(told)?;
        let settings = self.server.redis_settings();
        let mut commands = Vec::new();
        if let Some(password) = settings.password() {
            let mut login = redis::cmd("AUTH");
            if let Some(user) = settings.username() {
                login.arg(user);
            }
            login.arg(password);
            commands.push(login.get_packed_command());
        }
        if settings.db() != 0 {
            commands.push(redis::cmd("SELECT").arg(settings.db()).get_packed_command());
        }
        commands.push(command.get_packed_command());
        line.write_all(&commands.concat()).map_err(told)?;
        let mut parser = Parser::new();
        let mut answer = Value::Nil;
        for _ in &commands {
            answer = parser.parse_value(&mut line).map_err(|e| match line.failure.take() {
                Some(error) => told(error),
                None => format!("it answers what no Redis store does: {e}"),
            })?;
            if let Value::ServerError(error) = &answer {
                return Err(error.to_string());
            }
        }
        Ok(answer)
    }

    fn connect(&self, until: Instant) -> io::Result<Line> {
        let late = || io::Error::from(ErrorKind::TimedOut);
        let mut last = io::Error::from(ErrorKind::AddrNotAvailable);
        for address in self.addresses(until)? {
            let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
            match TcpStream::connect_timeout(&address, left.ok_or_else(late)?) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Line {
                        stream,
                        until,
                        room: self.limits.max_bytes + ANSWER_BYTES,
                        failure: None,
                    });
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    fn addresses(&self, until: Instant) -> io::Result<Vec<SocketAddr>> {
        if let Ok(ip) = self.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        // The system's resolver has no limit: a thread of its own may wait for it longer than this call does.
        let (tell, told) = mpsc::channel();
        let place = (self.host.clone(), self.port);
        std::thread::Builder::new()
            .spawn(move || drop(tell.send(place.to_socket_addrs().map(Vec::from_iter))))?;
        let left = until.saturating_duration_since(Instant::now());
        told.recv_timeout(left).map_err(|_| io::Error::from(ErrorKind::TimedOut))?
    }

    fn mac(&self, key: &Key, covered: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes keys of every length");
        mac.update(MAGIC);
        mac.update(key.bytes());
        mac.update(covered);
        mac
    }

    fn seal(&self, key: &Key, items: &Items) -> io::Result<Vec<u8>> {
        let plain = packed(items);
        let mut covered = Vec::new();
        covered.extend((plain.len() as u64).to_le_bytes());
        covered.extend(Sha256::digest(&plain));
        let mut encoder = DeflateEncoder::new(&mut covered, Compression::default());
        encoder.write_all(&plain)?;
        encoder.finish()?;
        let seal = self.mac(key, &covered).finalize().into_bytes();
        Ok([&MAGIC[..], seal.as_slice(), &covered].concat())
    }

    fn open(&self, key: &Key, sealed: &[u8]) -> Result<Vec<Item>, String> {
        let unverified = || "it does not verify with cache.remote_key".to_string();
        if sealed.len() < HEADER_BYTES || sealed[..MAGIC.len()] != MAGIC[..] {
            return Err(unverified());
        }
        let (seal, covered) = sealed[MAGIC.len()..].split_at(SEAL_BYTES);
        self.mac(key, covered).verify_slice(seal).map_err(|_| unverified())?;
        let (length, rest) = covered.split_at(8);
        let (sum, packed) = rest.split_at(32);
        let length = u64::from_le_bytes(length.try_into().map_err(|_| unverified())?);
        // Machine code is seldom packed to less than a twentieth.
        if length > self.limits.max_bytes.saturating_mul(20) {
            return Err(format!("it unpacks to {length} bytes, more than cache.remote_max_bytes allows"));
        }
        let mut plain = Vec::new();
        plain.try_reserve_exact(length as usize).map_err(|e| e.to_string())?;
        DeflateDecoder::new(packed).take(length + 1).read_to_end(&mut plain).map_err(|e| e.to_string())?;
        if plain.len() as u64 != length || hex(&Sha256::digest(&plain)) != hex(sum) {
            return Err("its checksum is not that of its content".into());
        }
        unpacked(&plain).ok_or_else(|| "its content is damaged".into())
    }
}

fn name_of(key: &Key) -> String {
    format!("litz:1:{}", key.hex())
}

fn packed(items: &[Item]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        for part in [item.name.as_bytes(), &item.bytes] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
    }
    bytes
}

fn unpacked(mut bytes: &[u8]) -> Option<Vec<Item>> {
    let mut part = || -> Option<Vec<u8>> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let part = rest.get(..length)?.to_vec();
        bytes = &rest[length..];
        Some(part)
    };
    let mut items = Vec::new();
    while let Some(name) = part() {
        items.push(Item { name: String::from_utf8(name).ok()?, bytes: part()? });
    }
    bytes.is_empty().then_some(items)
}

/// A connection that ends at a time, and after a number of bytes.
struct Line {
    stream: TcpStream,
    until: Instant,
    room: u64,
    /// Why reading ended, which the parser does not tell.
    failure: Option<io::Error>,
}

impl Line {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        left.ok_or_else(|| ErrorKind::TimedOut.into())
    }
    fn read_some(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        let most = to.len().min(usize::try_from(self.room).unwrap_or(usize::MAX));
        if most == 0 && !to.is_empty() {
            return Err(io::Error::other("its answer is longer than cache.remote_max_bytes"));
        }
        match self.stream.read(&mut to[..most])? {
            0 if most > 0 => Err(io::Error::new(ErrorKind::ConnectionAborted, "the connection ended")),
            n => {
                self.room -= n as u64;
                Ok(n)
            }
        }
    }
}

impl Read for Line {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.read_some(to).map_err(|e| {
            let copy = io::Error::new(e.kind(), e.to_string());
            self.failure = Some(e);
            copy
        })
    }
}

impl Write for Line {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(from)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(secret: &str) -> Remote {
        let limits =
            Limits { timeout: Duration::from_secs(1), max_bytes: 1 << 20, expiry: Duration::from_secs(60) };
        Remote::new("redis://127.0.0.1:1/3", secret, limits).unwrap()
    }

    #[test]
    fn an_entry_opens_with_its_keys_alone_and_unchanged() {
        let items: Items = Arc::new(vec![
            Item { name: "kernels.so".into(), bytes: vec![7; 5000] },
            Item { name: "empty".into(), bytes: Vec::new() },
        ]);
        let (one, two) = (Key::of("one", []), Key::of("two", []));
        let own = remote("sixteen bytes or more");
        let sealed = own.seal(&one, &items).unwrap();
        assert!(sealed.len() < 500, "{} bytes", sealed.len());
        assert_eq!(own.open(&one, &sealed).unwrap(), *items);
        assert!(own.open(&two, &sealed).unwrap_err().contains("verify"), "it is another entry's");
        assert!(remote("another key of some length").open(&one, &sealed).unwrap_err().contains("verify"));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(own.open(&one, &changed).unwrap_err().contains("verify"), "byte {at}");
            assert!(own.open(&one, &sealed[..at]).is_err(), "cut to {at} bytes");
        }
    }

    #[test]
    fn urls_name_a_store() {
        check_url("redis://user:secret@example.test:6380/2").unwrap();
        for url in
            ["rediss://example.test", "unix:///tmp/socket", "http://example.test", "redis://", "nonsense"]
        {
            let why = check_url(url).unwrap_err();
            assert!(!why.is_empty(), "{url}");
        }
        assert_eq!(remote("sixteen bytes or more").name(), "127.0.0.1:1/3");
    }
}
