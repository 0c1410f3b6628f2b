//! Pictures of the screen beside a warm-up: one a second, and one whenever a frame came later than all before it.
//!
//! Only where nothing is counted, because the phone pays for every picture; what each one took is recorded beside it. A
//! picture that cannot be had ends the taking with one notice and changes no verdict. Must not know what counts.

use crate::collect::Collector;
use crate::device_session::DeviceSession;
use crate::thumbnail::{SMALL, thumbnail};
use farmjank_results::event::Screen;
use farmjank_results::time::{BootTime, Span};
use std::cell::Cell;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// Time from one picture to the next.
const EVERY: Duration = Duration::from_secs(1);
/// Time between two looks for a hitch.
const LOOK: Duration = Duration::from_millis(100);
/// A frame shorter than this is no hitch worth a picture.
const HITCH: Span = Span::from_ms(60);
/// Most pictures of one window.
const MOST: usize = 90;
/// Most bytes of the small pictures of one window.
const MOST_BYTES: u64 = 6 << 20;

/// The stamps are read by the same shell, and stand after the picture on a line of their own.
const SHOOT: &str =
    "read a x </proc/uptime; screencap -p; s=$?; read b x </proc/uptime; echo; echo \"$a $b $s\"";

/// Takes the pictures of one window.
pub(crate) struct Camera<'a> {
    session: &'a DeviceSession<'a>,
    collector: &'a Collector<'a>,
    folder: String,
    over: Cell<bool>,
    stopped: Notify,
}

impl<'a> Camera<'a> {
    /// A camera whose pictures go into this folder of the bundle.
    pub(crate) fn new(session: &'a DeviceSession<'a>, collector: &'a Collector<'a>, folder: String) -> Self {
        Camera { session, collector, folder, over: Cell::new(false), stopped: Notify::new() }
    }

    /// The window's steps are over: no picture is begun any more.
    pub(crate) fn stop(&self) {
        self.over.set(true);
        self.stopped.notify_one();
    }

    /// Takes pictures until it is stopped; none unless they are wanted.
    pub(crate) async fn run(&self, wanted: bool) -> Vec<Screen> {
        let mut taken = Vec::new();
        let mut bytes = 0;
        let mut worst = HITCH;
        if !wanted {
            return taken;
        }
        self.collector.ready().await;
        let mut due = Instant::now();
        while !self.over.get() && taken.len() < MOST && bytes < MOST_BYTES {
            let longest = self.collector.longest();
            let hitch = longest > worst;
            if !hitch && Instant::now() < due {
                // Cut short when the window ends.
                let _ = timeout(LOOK, self.stopped.notified()).await;
                continue;
            }
            worst = worst.max(longest);
            due = Instant::now() + EVERY;
            match self.shoot(taken.len(), hitch).await {
                Ok(screen) => {
                    bytes += screen.bytes;
                    taken.push(screen);
                }
                Err(None) => break,
                Err(Some(why)) => {
                    let what = format!("no more pictures of the screen in this window: {why}");
                    self.session.env.announcer.notice(Some(self.session.job), what);
                    break;
                }
            }
            // The phone has a life beside its pictures.
            sleep(LOOK).await;
        }
        taken
    }

    /// One picture, or why there is none; nothing to say when the phone is lost, which others notice.
    async fn shoot(&self, nth: usize, hitch: bool) -> Result<Screen, Option<String>> {
        let session = self.session;
        let output = session
            .device
            .shell(SHOOT, session.patience().call)
            .await
            .map_err(|fault| (!fault.is_lost()).then(|| fault.to_string()))?;
        let (picture, from, to) = parted(&output.out).map_err(Some)?;
        let small = thumbnail(picture, SMALL).map_err(|why| Some(why.to_string()))?;
        let path = format!("{}/{nth}.png", self.folder);
        session.env.files.write(&path, &small).map_err(|why| Some(format!("it could not be kept: {why}")))?;
        let (from, to) = (session.clock.to_device(from), session.clock.to_device(to));
        let cost = to - from;
        let at = from + Span::from_ns(cost.ns() / 2);
        Ok(Screen { path, at, cost_ms: cost.ms(), bytes: small.len() as u64, hitch })
    }
}

/// The picture, and the phone's clock before and after it.
fn parted(out: &[u8]) -> Result<(&[u8], BootTime, BootTime), String> {
    let garbled = || "the phone printed no picture".to_owned();
    let end = out.strip_suffix(b"\n").ok_or_else(garbled)?;
    let last = end.iter().rposition(|byte| *byte == b'\n').ok_or_else(garbled)?;
    let text = std::str::from_utf8(&end[last + 1..]).map_err(|_| garbled())?;
    let mut words = text.split(' ');
    let mut stamp = || crate::android::uptime(words.next()?);
    let (from, to) = stamp().zip(stamp()).ok_or_else(garbled)?;
    match words.next() {
        Some("0") => Ok((&end[..last], from, to)),
        status => Err(format!("screencap ended with status {}", status.unwrap_or("?"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stamps_stand_after_the_picture_whatever_is_in_it() {
        let (picture, from, to) = parted(b"\x89PNG\n\0\n1 2 3\n\n12.30 12.55 0\n").unwrap();
        assert_eq!(picture, b"\x89PNG\n\0\n1 2 3\n");
        assert_eq!((from.ns(), to.ns()), (12_300_000_000, 12_550_000_000));
        assert!(parted(b"\n12.30 12.55 127\n").unwrap_err().contains("status 127"));
        for nonsense in [&b""[..], b"\n", b"x", b"\n1 2\n", b"\n\xff 2 0\n"] {
            assert!(parted(nonsense).is_err(), "{nonsense:?}");
        }
    }
}
