//! FNV-1a, 64 bits: the same on every machine and in every version. Names things and seeds generators; no defence
//! against forgery.

/// A running hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Fnv {
    /// Of nothing.
    pub const NOTHING: Fnv = Fnv(0xcbf2_9ce4_8422_2325);

    /// Of nothing, for one seed among many; 0 is [`Fnv::NOTHING`].
    pub fn seeded(seed: u64) -> Fnv {
        Fnv(Fnv::NOTHING.0 ^ seed)
    }

    /// With more bytes.
    #[must_use]
    pub fn and(self, bytes: impl IntoIterator<Item = u8>) -> Fnv {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Fnv(bytes.into_iter().fold(self.0, step))
    }

    /// With one more part, its length first: moving text between neighbouring parts changes the hash.
    #[must_use]
    pub fn part(self, bytes: &[u8]) -> Fnv {
        self.and((bytes.len() as u64).to_le_bytes()).and(bytes.iter().copied())
    }

    /// All 64 bits.
    pub fn number(self) -> u64 {
        self.0
    }

    /// All 64 bits, each depending on every byte: to compare hashes by size (the finalizer of MurmurHash3, Appleby,
    /// public domain).
    pub fn scattered(self) -> u64 {
        let mut word = self.0;
        word = (word ^ (word >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        word = (word ^ (word >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        word ^ (word >> 33)
    }

    /// Both halves folded together.
    pub fn folded(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }

    /// 16 hex digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_hello_is_that_of_the_algorithms_authors() {
        assert_eq!(Fnv::NOTHING.and(*b"hello").hex(), "a430d84680aabd0b");
        assert_eq!(Fnv::seeded(0), Fnv::NOTHING);
    }

    #[test]
    fn moving_text_between_parts_changes_the_hash() {
        let of = |parts: [&str; 2]| parts.iter().fold(Fnv::NOTHING, |hash, part| hash.part(part.as_bytes()));
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
    }
}
