//! A lab as described: pure data.

use crate::fault::Scheduled;
use crate::latency::Latency;
use crate::spec::PhoneSpec;
use farmjank_seams::host::Address;

/// Most phones on one server: beyond this a real server's single thread becomes the bottleneck.
pub const PHONES_PER_SERVER: usize = 128;

/// Most phones that stay together when a lab is taken apart ([`Lab::shards`]); small labs are not worth a second
/// thread.
const PHONES_TOGETHER: usize = 8;

/// Phones of one shard of a larger lab. Few: while one works, its phones' frames and dumps stay in the caches of its
/// core. Measured with 200 phones on two cores: 2 per shard take 0.19 s of CPU a phone, 8 take 0.22 s, 128 take 0.33 s.
const PHONES_PER_SHARD: usize = 2;

/// Most shards of a lab: a larger one has more phones in each. A thread keeps some 6 MB of free memory for itself, so
/// that 1 000 phones on 500 threads took 4.1 GB where 32 threads take 1.2 GB and as much CPU (`ci/bench/sweep.py`).
const SHARDS_MOST: usize = 32;

/// What a lab file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// Name.
    pub name: String,
    /// Seed of all chance.
    pub seed: u64,
    /// How long calls take on the way.
    pub latency: Latency,
    /// Phones with their serials, `count` already multiplied out.
    pub phones: Vec<(String, PhoneSpec)>,
    /// Faults on lab time.
    pub faults: Vec<Scheduled>,
}

impl Lab {
    /// The same lab with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Lab {
        self.seed = seed;
        self
    }

    /// The addresses of its servers.
    pub fn servers(&self) -> Vec<Address> {
        (0..self.phones.len().div_ceil(PHONES_PER_SERVER).max(1)).map(|n| Address::Lab(n as u16)).collect()
    }

    /// Its phones in labs of their own, in order: all in one when they are few. Phones never meet and every phone draws
    /// from its own seed, so together they are this lab.
    pub fn shards(&self) -> Vec<Lab> {
        let shard = |phones: &[(String, PhoneSpec)]| Lab { phones: phones.to_vec(), ..self.clone() };
        let together = match self.phones.len() {
            ..=PHONES_TOGETHER => PHONES_TOGETHER,
            phones => PHONES_PER_SHARD.max(phones.div_ceil(SHARDS_MOST)),
        };
        self.phones.chunks(together).map(shard).collect()
    }
}
