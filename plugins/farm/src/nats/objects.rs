//! Objects by digest: one message for each part, the first written last. Most are a part alone, which is written and
//! read by one question each; the client's own way asks four times for either.

use super::{Nats, OPERATION, given_up};
use crate::subjects::word;
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Place;

/// Bytes of a part: an answer of the server holds it in a longer form, and a megabyte at most.
const PART: usize = 512 << 10;
/// Most parts of an object: a gigabyte.
const MOST: usize = 2048;
/// How many parts there are, in the first.
const PARTS: &str = "FJ-Parts";

impl Nats {
    fn part(&self, digest: &str, part: usize) -> Result<String, Fault> {
        Ok(self.link.names.object(word("object", digest)?, &part.to_string()))
    }

    /// Leaves an object; a part that is there already is left as it is, unless it is old or the object was given up.
    pub(super) async fn leave(&self, digest: &str, bytes: &[u8]) -> Result<(), Fault> {
        let many = bytes.len().div_ceil(PART).max(1);
        if many > MOST {
            let what = format!("an object of {} bytes: at most {} go over a farm", bytes.len(), MOST * PART);
            return Err(Fault::new(FaultCode::FarmFull, what));
        }
        let first = if many > 1 { self.latest_part(digest, 0).await? } else { None };
        match first {
            // It was written last: all of it is there.
            Some(first) if self.is_relied_on(&first).await? && parts(&first) == many => return Ok(()),
            // Nothing of what was there before is trusted.
            Some(first) if given_up(Some(&first.headers)) => {
                for part in (1..many).rev() {
                    self.write_part(digest, bytes, part, None).await?;
                }
            }
            // What somebody began a while ago is gone on with.
            _ => {
                for part in (1..many).rev() {
                    self.leave_part(digest, bytes, part).await?;
                }
            }
        }
        self.leave_part(digest, bytes, 0).await
    }

    /// Leaves a part, unless it is there and relied on.
    async fn leave_part(&self, digest: &str, bytes: &[u8], part: usize) -> Result<(), Fault> {
        if self.write_part(digest, bytes, part, Some(Place(0))).await?.is_some() {
            return Ok(());
        }
        let Some(there) = self.latest_part(digest, part).await? else { return Ok(()) };
        if self.is_relied_on(&there).await? {
            return Ok(());
        }
        match self.write_part(digest, bytes, part, Some(Place(there.sequence))).await {
            // Better an old one than none: who has no room cannot even say that he is there without what lies there.
            Err(fault) if fault.code == FaultCode::FarmFull && !given_up(Some(&there.headers)) => Ok(()),
            written => written.map(drop),
        }
    }

    async fn latest_part(&self, digest: &str, part: usize) -> Result<Option<StreamMessage>, Fault> {
        self.link.latest(&self.link.names.objects(), &self.part(digest, part)?).await
    }

    /// Whether a part is one, and young enough that it will be there for days.
    async fn is_relied_on(&self, there: &StreamMessage) -> Result<bool, Fault> {
        if given_up(Some(&there.headers)) {
            return Ok(false);
        }
        let written = u64::try_from(there.time.unix_timestamp_nanos()).unwrap_or_default();
        let age = self.link.now().await?.saturating_sub(written);
        Ok(u128::from(age) < self.link.terms.relied_on.as_nanos())
    }

    async fn write_part(
        &self,
        digest: &str,
        bytes: &[u8],
        part: usize,
        after: Option<Place>,
    ) -> Result<Option<Place>, Fault> {
        let (many, from) = (bytes.len().div_ceil(PART).max(1), part * PART);
        let piece = &bytes[from..bytes.len().min(from + PART)];
        let message = PublishMessage::build().payload(piece.to_vec().into()).header(PARTS, many.to_string());
        self.link.write(self.part(digest, part)?, after, message).await
    }

    /// An object; none where a part of it is not there.
    pub(super) async fn object(&self, digest: &str) -> Result<Option<Vec<u8>>, Fault> {
        let stream = self.link.names.objects();
        let Some(first) = self.latest_part(digest, 0).await? else { return Ok(None) };
        if given_up(Some(&first.headers)) {
            return Ok(None);
        }
        let mut bytes = first.payload.to_vec();
        for part in 1..parts(&first) {
            match self.link.latest(&stream, &self.part(digest, part)?).await? {
                Some(next) => bytes.extend_from_slice(&next.payload),
                None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }

    /// Gives an object up by a word in place of its parts: to purge it would need a right to purge all.
    pub(super) async fn forget(&self, digest: &str) -> Result<(), Fault> {
        let there = self.latest_part(digest, 0).await?;
        let Some(there) = there.filter(|there| !given_up(Some(&there.headers))) else { return Ok(()) };
        let gone = || PublishMessage::build().header(OPERATION, "DEL");
        match self.link.write(self.part(digest, 0)?, Some(Place(there.sequence)), gone()).await {
            Ok(Some(_)) => {}
            // Somebody else was first.
            Ok(None) => return Ok(()),
            // Who only reads leaves it to those who write.
            Err(fault) if fault.code == FaultCode::FarmRefused => return Ok(()),
            Err(fault) => return Err(fault),
        }
        for part in 1..parts(&there) {
            self.link.write(self.part(digest, part)?, None, gone()).await?;
        }
        Ok(())
    }
}

/// How many parts an object has, by its first.
fn parts(first: &StreamMessage) -> usize {
    let said = first.headers.get(PARTS).and_then(|many| many.as_str().parse().ok());
    said.unwrap_or(1).min(MOST)
}
