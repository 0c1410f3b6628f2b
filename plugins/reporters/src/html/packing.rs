//! Cells packed for the page: deflated, in base64.
//!
//! Reports of large runs are written while somebody waits: what compresses the cells takes longer to make than many a
//! cell takes to compress, so it is made once.

use super::detail;
use super::frames::Seen;
use crate::cells::Cell;
use base64::Engine as _;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write as _;

/// Level of compression: frame logs are dense already.
const LEVEL: u32 = 6;

/// One cell as one word of base64.
pub(crate) fn packed(cell: &Cell<'_>, seen: &Seen<'_>) -> String {
    Packer::new().pack(&detail::bytes(cell, seen))
}

/// Every cell as one word of base64, in their order.
pub(crate) fn each(cells: &[Cell<'_>], seen: &[Seen<'_>], mut take: impl FnMut(&Cell<'_>, &str)) {
    let mut packer = Packer::new();
    for (cell, seen) in cells.iter().zip(seen) {
        take(cell, &packer.pack(&detail::bytes(cell, seen)));
    }
}

/// What compresses one cell after another.
struct Packer(DeflateEncoder<Vec<u8>>);

impl Packer {
    fn new() -> Self {
        Self(DeflateEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }

    fn pack(&mut self, bytes: &[u8]) -> String {
        self.0.write_all(bytes).expect("memory takes every byte");
        let packed = self.0.reset(Vec::new()).expect("memory takes every byte");
        base64::engine::general_purpose::STANDARD.encode(packed)
    }
}
