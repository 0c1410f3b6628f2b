//! File transfer: `STAT`/`STA2`/`LST2`, `LIST`/`LIS2`, `SEND`, `RECV`, `QUIT` on the phone's files.

use crate::shell::{Programs, is_folder};
use std::collections::BTreeMap;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Largest piece of a file in one packet, bytes: the protocol's limit.
const PIECE: usize = 64 * 1024;

/// Longest path.
const PATH_MOST: usize = 1024;

/// Largest file taken.
const FILE_MOST: usize = 64 * 1024 * 1024;

const REGULAR: u32 = 0o100_660;
const FOLDER: u32 = 0o040_771;
const ENOENT: u32 = 2;

/// Answers requests until `QUIT`, the end of the stream or an error.
pub(super) async fn serve<W: AsyncRead + AsyncWrite + Unpin>(
    phone: &dyn Programs,
    mut wire: W,
) -> std::io::Result<()> {
    loop {
        let mut header = [0; 8];
        if wire.read_exact(&mut header).await.is_err() {
            return Ok(());
        }
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let id = &header[..4];
        if id == b"QUIT" {
            return Ok(());
        }
        if length > PATH_MOST {
            return refuse(&mut wire, "path too long").await;
        }
        let mut path = vec![0; length];
        wire.read_exact(&mut path).await?;
        let path = String::from_utf8_lossy(&path).into_owned();
        let answer = match id {
            b"STAT" => stat(phone, &path),
            b"STA2" | b"LST2" => stat2(id, phone, &path),
            b"LIST" => list(phone, &path, false),
            b"LIS2" => list(phone, &path, true),
            b"RECV" => {
                receive(phone, &path, &mut wire).await?;
                continue;
            }
            b"SEND" => {
                send(phone, &path, &mut wire).await?;
                continue;
            }
            other => {
                return refuse(&mut wire, &format!("unknown command {}", String::from_utf8_lossy(other)))
                    .await;
            }
        };
        wire.write_all(&answer).await?;
        wire.flush().await?;
    }
}

/// Mode and size of what is at a path; nothing when nothing is.
fn look(phone: &dyn Programs, path: &str) -> Option<(u32, usize)> {
    if let Some(bytes) = phone.file(path) {
        return Some((REGULAR, bytes.len()));
    }
    is_folder(phone, path).then_some((FOLDER, 4096))
}

fn stat(phone: &dyn Programs, path: &str) -> Vec<u8> {
    let (mode, size) = look(phone, path).unwrap_or((0, 0));
    let mut answer = b"STAT".to_vec();
    for word in [mode, size as u32, 0] {
        answer.extend(word.to_le_bytes());
    }
    answer
}

/// Error, device, inode, mode, links, owner, group, size and three times.
fn stat2(id: &[u8], phone: &dyn Programs, path: &str) -> Vec<u8> {
    let mut answer = id.to_vec();
    answer.extend(details(look(phone, path)));
    answer
}

fn details(found: Option<(u32, usize)>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(68);
    let (mode, size) = found.unwrap_or((0, 0));
    bytes.extend((if found.is_some() { 0 } else { ENOENT }).to_le_bytes());
    bytes.extend([0; 16]); // device and inode
    for word in [mode, u32::from(found.is_some()), 2000, 2000] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend((size as u64).to_le_bytes());
    bytes.extend([0; 24]); // times
    bytes
}

fn list(phone: &dyn Programs, path: &str, long: bool) -> Vec<u8> {
    let prefix = format!("{}/", path.trim_end_matches('/'));
    let mut entries: BTreeMap<String, (u32, usize)> = BTreeMap::new();
    for file in phone.files_below(path) {
        let rest = file.strip_prefix(&prefix).unwrap_or(&file);
        match rest.split_once('/') {
            Some((folder, _)) => entries.insert(folder.to_owned(), (FOLDER, 4096)),
            None => {
                entries.insert(rest.to_owned(), (REGULAR, phone.file(&file).map_or(0, |bytes| bytes.len())))
            }
        };
    }
    let mut answer = Vec::new();
    for (name, (mode, size)) in &entries {
        if long {
            answer.extend(b"DNT2");
            answer.extend(details(Some((*mode, *size))));
        } else {
            answer.extend(b"DENT");
            for word in [*mode, *size as u32, 0] {
                answer.extend(word.to_le_bytes());
            }
        }
        answer.extend((name.len() as u32).to_le_bytes());
        answer.extend(name.as_bytes());
    }
    answer.extend(b"DONE");
    answer.extend(vec![0; if long { 72 } else { 16 }]);
    answer
}

async fn receive<W: AsyncWrite + Unpin>(
    phone: &dyn Programs,
    path: &str,
    wire: &mut W,
) -> std::io::Result<()> {
    let Some(bytes) = phone.file(path) else {
        return refuse(wire, "No such file or directory").await;
    };
    for piece in bytes.chunks(PIECE) {
        wire.write_all(b"DATA").await?;
        wire.write_all(&(piece.len() as u32).to_le_bytes()).await?;
        wire.write_all(piece).await?;
    }
    wire.write_all(b"DONE\0\0\0\0").await?;
    wire.flush().await
}

/// `path,mode`, then pieces, then `DONE` with a time. All pieces are read even when the file cannot be written.
async fn send<W: AsyncRead + AsyncWrite + Unpin>(
    phone: &dyn Programs,
    spec: &str,
    wire: &mut W,
) -> std::io::Result<()> {
    let path = spec.rsplit_once(',').map_or(spec, |(path, _)| path);
    let mut bytes = Vec::new();
    let mut trouble = (!phone.writable(path)).then(|| {
        format!(
            "couldn't create file: {}",
            if path.starts_with('/') { "Read-only file system" } else { "No such file or directory" }
        )
    });
    let full = || phone.is_full().then(|| "write failed: No space left on device".to_owned());
    trouble = trouble.or_else(full);
    loop {
        let mut header = [0; 8];
        wire.read_exact(&mut header).await?;
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        match &header[..4] {
            b"DATA" if length <= PIECE => {
                let from = bytes.len();
                bytes.resize(from + length, 0);
                wire.read_exact(&mut bytes[from..]).await?;
                if bytes.len() > FILE_MOST {
                    trouble = Some("write failed: No space left on device".into());
                }
                if trouble.is_some() {
                    bytes.clear();
                }
            }
            b"DONE" => break,
            _ => return refuse(wire, "invalid data message").await,
        }
    }
    match trouble {
        Some(why) => refuse(wire, &why).await,
        None => {
            phone.write(path, bytes);
            wire.write_all(b"OKAY\0\0\0\0").await?;
            wire.flush().await
        }
    }
}

async fn refuse<W: AsyncWrite + Unpin>(wire: &mut W, why: &str) -> std::io::Result<()> {
    wire.write_all(b"FAIL").await?;
    wire.write_all(&(why.len() as u32).to_le_bytes()).await?;
    wire.write_all(why.as_bytes()).await?;
    wire.flush().await
}
