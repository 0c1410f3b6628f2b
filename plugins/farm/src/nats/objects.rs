//! Objects by digest: one message for each part, the first written last. Most are a part alone, which is written and
//! read by one question each; the client's own way asks four times for either.

use super::Nats;
use super::calls::lost;
use crate::subjects::word;
use async_nats::jetstream::message::PublishMessage;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Place;
use std::time::Duration;

/// Bytes of a part: an answer of the server holds it in a longer form, and a megabyte at most.
const PART: usize = 512 << 10;
/// Most parts of an object: a gigabyte.
const MOST: usize = 2048;
/// How many parts there are, in the first.
const PARTS: &str = "FJ-Parts";

impl Nats {
    fn part(&self, digest: &str, part: usize) -> Result<String, Fault> {
        Ok(self.names.object(word("object", digest)?, &part.to_string()))
    }

    /// Leaves an object; a part that is there already is left as it is.
    pub(super) async fn leave(&self, digest: &str, bytes: &[u8]) -> Result<(), Fault> {
        let many = bytes.len().div_ceil(PART).max(1);
        if many > MOST {
            let what = format!("an object of {} bytes: at most {} go over a farm", bytes.len(), MOST * PART);
            return Err(Fault::new(FaultCode::FarmFull, what));
        }
        for part in (0..many).rev() {
            let from = part * PART;
            let piece = &bytes[from..bytes.len().min(from + PART)];
            let message =
                PublishMessage::build().payload(piece.to_vec().into()).header(PARTS, many.to_string());
            self.write(self.part(digest, part)?, Some(Place(0)), message).await?;
        }
        Ok(())
    }

    /// An object; none where a part of it is not there.
    pub(super) async fn object(&self, digest: &str) -> Result<Option<Vec<u8>>, Fault> {
        let stream = self.names.objects();
        let Some(first) = self.latest(&stream, &self.part(digest, 0)?).await? else { return Ok(None) };
        let said = first.headers.get(PARTS).and_then(|many| many.as_str().parse().ok());
        let many: usize = said.unwrap_or(1);
        let mut bytes = first.payload.to_vec();
        for part in 1..many.min(MOST) {
            match self.latest(&stream, &self.part(digest, part)?).await? {
                Some(next) => bytes.extend_from_slice(&next.payload),
                None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }

    /// Forgets an object with all its parts.
    pub(super) async fn forget(&self, digest: &str) -> Result<(), Fault> {
        let (name, subject) = (self.names.objects(), self.names.object(word("object", digest)?, "*"));
        let purged = async {
            let stream = self.context.get_stream_no_info(name).await.map_err(|why| why.to_string())?;
            stream.purge().filter(subject).await.map_err(|why| why.to_string())
        };
        let purged = self.in_time("an object", Duration::ZERO, purged).await?;
        purged.map(drop).map_err(|why| lost("an object", &why))
    }
}
