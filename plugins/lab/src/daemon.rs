//! An adb daemon (adbd) over any byte stream: the phone side that the stock adb server talks to.
//!
//! One connection carries many streams, each with flow control of its own: after every `WRTE` its sender waits for
//! `OKAY`. No authentication: the lab's phones trust everyone. Services are those of `server::service`.

mod message;
mod streams;

use crate::live_phone::LivePhone;
use crate::remedy;
use crate::server::FEATURES;
use message::{CLSE, CNXN, Header, OKAY, OPEN, WRTE, encode, read};
use std::rc::Rc;
use streams::Streams;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Protocol version of adbd since Android 9: checksums need not be right.
const VERSION: u32 = 0x0100_0001;

/// Largest payload taken, bytes.
pub(crate) const PAYLOAD_MOST: u32 = 256 * 1024;

/// Smallest payload limit a peer may ask for, bytes: that of the first adb.
const PAYLOAD_LEAST: u32 = 4096;

/// Plays the phone on one connection until the other side goes, the cable is cut or the peer breaks the protocol.
pub async fn serve<W: AsyncRead + AsyncWrite + Unpin>(phone: Rc<LivePhone>, wire: W) {
    let (mut reader, mut writer) = tokio::io::split(wire);
    let (out, mut queue) = mpsc::unbounded_channel::<Vec<u8>>();
    let writing = async {
        // Bounded in effect: a stream has one unanswered payload at most.
        while let Some(message) = queue.recv().await {
            if writer.write_all(&message).await.is_err() || writer.flush().await.is_err() {
                return;
            }
        }
    };
    let cuts = phone.cable().cuts;
    let reading = async {
        let mut streams = Streams::new(phone.clone(), out.clone());
        let mut connected = false;
        while let Ok(Some((header, data))) = read(&mut reader, connected).await {
            if header.command == CNXN {
                remedy::connected(&phone);
                streams.clear();
                streams.set_payload(header.arg1.clamp(PAYLOAD_LEAST, PAYLOAD_MOST));
                connected = header.arg0 >= VERSION;
                let hello = encode(CNXN, VERSION.min(header.arg0), PAYLOAD_MOST, banner(&phone).as_bytes());
                if out.send(hello).is_err() {
                    return;
                }
            } else {
                handle(&mut streams, &header, data);
            }
        }
    };
    tokio::select! {
        biased;
        () = phone.cut(cuts) => {}
        () = reading => {}
        () = writing => {}
    }
}

fn handle(streams: &mut Streams, header: &Header, data: Vec<u8>) {
    match header.command {
        OPEN => {
            let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
            streams.open(header.arg0, &String::from_utf8_lossy(&data[..end]));
        }
        OKAY => streams.acknowledged(header.arg1),
        WRTE => streams.deliver(header.arg1, header.arg0, data),
        CLSE => streams.close(header.arg1),
        _ => {} // AUTH, SYNC and what later versions may send are nothing to this phone
    }
}

fn banner(phone: &LivePhone) -> String {
    let banner = phone.banner();
    format!(
        "device::ro.product.name={};ro.product.model={};ro.product.device={};features={FEATURES}",
        banner.product, banner.model, banner.device
    )
}
