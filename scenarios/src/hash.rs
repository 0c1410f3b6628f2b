//! Content hash: FNV-1a, 64 bit. Names versions of a scenario in logs and bundles; not a defence against forgery.

/// A running FNV-1a hash.
pub(crate) struct Hash(u64);

impl Hash {
    /// The hash of nothing.
    pub(crate) fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in one part. Its length goes first, so that moving text between neighbouring parts changes the hash.
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.bytes(&(bytes.len() as u64).to_le_bytes());
        self.bytes(bytes);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// 16 hex digits.
    pub(crate) fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fnv_1a() {
        // Reference value of the algorithm's authors for the five bytes "hello" without a length prefix.
        let mut hash = Hash::new();
        hash.bytes(b"hello");
        assert_eq!(hash.hex(), "a430d84680aabd0b");
    }

    #[test]
    fn moving_text_between_parts_changes_it() {
        let of = |parts: [&str; 2]| {
            let mut hash = Hash::new();
            parts.iter().for_each(|part| hash.part(part.as_bytes()));
            hash.hex()
        };
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
    }
}
