//! Large objects beside a farm's server: in a bucket of an S3-compatible store, under their digests. Small ones stay on
//! the server, so that who only asks what there is needs no right to the bucket.
//!
//! Must not know: which store it is, but for `door.rs`.

mod door;

use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::exchange::{Appended, Exchange, Fence, Holder, Leased, LogLine, Place, Taken, Written};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use std::sync::Arc;
use std::time::Duration;

/// Largest object that stays on the server, bytes.
pub const SMALL: usize = 128 << 10;
/// Largest object that is read, bytes: as large as one that a server takes.
const MOST: u64 = 1 << 30;

/// A bucket.
#[derive(Clone)]
pub struct Bucket {
    store: Arc<dyn ObjectStore>,
    called: String,
}

impl Bucket {
    /// A store that is open, and what it is called in messages.
    pub fn of(store: Arc<dyn ObjectStore>, called: &str) -> Bucket {
        Bucket { store, called: called.to_owned() }
    }

    /// What it is called.
    pub fn called(&self) -> &str {
        &self.called
    }

    fn fault(&self, why: &Error) -> Fault {
        let told = line(&why.to_string(), 300);
        let what = format!("the objects of the farm in {}: {told}", self.called);
        match why {
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                Fault::new(FaultCode::FarmRefused, what)
                    .advise("look at AWS_ACCESS_KEY_ID and the rights of its user")
            }
            Error::NotFound { .. } => Fault::new(FaultCode::FarmRefused, what)
                .advise("make the bucket, or name another (--farm-objects)"),
            _ => Fault::new(FaultCode::FarmUnreachable, what).passing(),
        }
    }

    /// Leaves an object. One that is there with as many bytes is left as it is.
    ///
    /// # Errors
    /// `farm_unreachable` (passing), `farm_refused`.
    pub async fn leave(&self, digest: &str, bytes: &[u8]) -> Result<(), Fault> {
        let path = place(digest);
        match self.store.head(&path).await {
            Ok(there) if there.size == bytes.len() as u64 => return Ok(()),
            // Who may write need not be allowed to ask.
            Ok(_) | Err(Error::NotFound { .. } | Error::PermissionDenied { .. }) => {}
            Err(why) => return Err(self.fault(&why)),
        }
        let put = self.store.put(&path, bytes.to_vec().into()).await;
        put.map(drop).map_err(|why| self.fault(&why))
    }

    /// An object; none where it is not there, or larger than any that was left.
    ///
    /// # Errors
    /// As [`Bucket::leave`].
    pub async fn object(&self, digest: &str) -> Result<Option<Vec<u8>>, Fault> {
        let got = match self.store.get(&place(digest)).await {
            Ok(got) if got.meta.size > MOST => return Ok(None),
            Ok(got) => got.bytes().await,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(why) => Err(why),
        };
        got.map(|bytes| Some(bytes.to_vec())).map_err(|why| self.fault(&why))
    }

    /// Takes an object away; nothing where it is not there, or that is not allowed.
    ///
    /// # Errors
    /// `farm_unreachable` (passing).
    pub async fn forget(&self, digest: &str) -> Result<(), Fault> {
        match self.store.delete(&place(digest)).await {
            Ok(())
            | Err(Error::NotFound { .. } | Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) => {
                Ok(())
            }
            Err(why) => Err(self.fault(&why)),
        }
    }
}

/// Where an object lies.
fn place(digest: &str) -> Path {
    Path::from(digest)
}

/// An exchange whose large objects lie in a bucket.
pub struct WithBucket<X> {
    exchange: X,
    bucket: Bucket,
}

impl<X> WithBucket<X> {
    /// This exchange, and this bucket.
    pub fn of(exchange: X, bucket: Bucket) -> WithBucket<X> {
        WithBucket { exchange, bucket }
    }
}

impl<X: Exchange> Exchange for WithBucket<X> {
    fn offer<'a>(&'a self, host: &'a str, id: &'a str, body: &'a [u8]) -> Work<'a, ()> {
        self.exchange.offer(host, id, body)
    }

    fn take<'a>(&'a self, host: &'a str, wait: Duration) -> Work<'a, Option<Taken>> {
        self.exchange.take(host, wait)
    }

    fn keep<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        self.exchange.keep(receipt)
    }

    fn done<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        self.exchange.done(receipt)
    }

    fn claim<'a>(&'a self, key: &'a str, body: &'a [u8]) -> Work<'a, Leased> {
        self.exchange.claim(key, body)
    }

    fn renew<'a>(&'a self, key: &'a str, fence: Fence, body: &'a [u8]) -> Work<'a, Leased> {
        self.exchange.renew(key, fence, body)
    }

    fn release<'a>(&'a self, key: &'a str, fence: Fence) -> Work<'a, ()> {
        self.exchange.release(key, fence)
    }

    fn holder<'a>(&'a self, key: &'a str) -> Work<'a, Option<Holder>> {
        self.exchange.holder(key)
    }

    fn holders<'a>(&'a self, kind: &'a str) -> Work<'a, Vec<(String, Holder)>> {
        self.exchange.holders(kind)
    }

    fn append<'a>(&'a self, line: &'a LogLine, after: Place, body: &'a [u8]) -> Work<'a, Appended> {
        self.exchange.append(line, after, body)
    }

    fn last<'a>(&'a self, line: &'a LogLine) -> Work<'a, Option<Written>> {
        self.exchange.last(line)
    }

    fn lasts<'a>(&'a self, generation: u32, line: &'a str) -> Work<'a, Vec<(String, Written)>> {
        self.exchange.lasts(generation, line)
    }

    fn follow<'a>(
        &'a self,
        run: &'a str,
        generation: u32,
        after: Place,
        wait: Duration,
    ) -> Work<'a, Vec<Written>> {
        self.exchange.follow(run, generation, after, wait)
    }

    fn put<'a>(&'a self, digest: &'a str, bytes: &'a [u8]) -> Work<'a, ()> {
        match bytes.len() > SMALL {
            true => Box::pin(self.bucket.leave(digest, bytes)),
            false => self.exchange.put(digest, bytes),
        }
    }

    fn discard<'a>(&'a self, digest: &'a str) -> Work<'a, ()> {
        Box::pin(async move {
            self.exchange.discard(digest).await?;
            self.bucket.forget(digest).await
        })
    }

    fn get<'a>(&'a self, digest: &'a str) -> Work<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            // What was left before there was a bucket lies on the server, too.
            match self.exchange.get(digest).await? {
                Some(bytes) => Ok(Some(bytes)),
                None => self.bucket.object(digest).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest;
    use crate::model::{Model, Weather};
    use farmjank_results::time::Span;
    use object_store::memory::InMemory;

    fn on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(work)
    }

    #[test]
    fn what_is_large_lies_in_the_bucket_and_the_rest_on_the_server() {
        on(async {
            let model = Model::new(Span::from_ms(45_000), Span::from_ms(30_000), usize::MAX);
            let (plain, memory) = (model.connect(Weather::calm()), Arc::new(InMemory::new()));
            let bucket = Bucket::of(memory.clone(), "memory");
            let both = WithBucket::of(model.connect(Weather::calm()), bucket);
            let (small, large) = (vec![1; SMALL], vec![2; SMALL + 1]);
            let names = (
                digest::leave(&both, &small).await.expect("taken"),
                digest::leave(&both, &large).await.expect("taken"),
            );
            assert_eq!(digest::fetch(&both, &names.0).await.expect("answers"), Some(small.clone()));
            assert_eq!(digest::fetch(&both, &names.1).await.expect("answers"), Some(large.clone()));
            // Each lies in one place.
            assert_eq!(digest::fetch(&plain, &names.0).await.expect("answers"), Some(small));
            assert_eq!(digest::fetch(&plain, &names.1).await.expect("answers"), None);
            // One whose bytes are others by now is forgotten, and can be left again.
            memory.put(&place(&names.1), vec![3; SMALL + 1].into()).await.expect("it is changed");
            assert_eq!(digest::fetch(&both, &names.1).await.expect("answers"), None);
            digest::leave(&both, &large).await.expect("taken");
            assert_eq!(digest::fetch(&both, &names.1).await.expect("answers"), Some(large.clone()));
            // What was left before there was a bucket is found.
            let before = digest::leave(&plain, &[4; SMALL * 2]).await.expect("taken");
            assert_eq!(digest::fetch(&both, &before).await.expect("answers"), Some(vec![4; SMALL * 2]));
        });
    }

    #[test]
    fn what_is_no_bucket_is_refused_by_its_name() {
        for place in ["", "bucket", "s3://", "https://a/b", "s3://key:secret@bucket", "s3://b?x=1"] {
            let fault = Bucket::open(place, &Default::default()).err().expect("it is none");
            assert!(fault.code == FaultCode::Usage && fault.what.contains("--farm-objects"), "{fault}");
        }
    }
}
