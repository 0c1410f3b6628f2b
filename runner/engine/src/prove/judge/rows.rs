//! Rows of `--latency` as printed, read without our reader: what is believed of the text is not asked of who believes
//! it.

/// A frame that is not shown yet.
pub const PENDING: i64 = i64::MAX;

/// One dump of one ring as text.
pub struct Printed {
    /// Line 1, ns.
    pub period: Option<i64>,
    /// Rows in print order: desired, present, ready.
    pub rows: Vec<[i64; 3]>,
}

/// Reads the text; what is no row is left out.
pub fn printed(text: &[u8]) -> Printed {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let period = lines.next().and_then(|line| line.parse().ok());
    let row = |line: &str| {
        let mut cells = line.split_whitespace().map(str::parse::<i64>);
        let row = [cells.next()?.ok()?, cells.next()?.ok()?, cells.next()?.ok()?];
        cells.next().is_none().then_some(row)
    };
    Printed { period, rows: lines.filter_map(row).collect() }
}

impl Printed {
    /// Rows of frames: neither unfilled nor pending nor given up.
    pub fn shown(&self) -> impl Iterator<Item = [i64; 3]> + '_ {
        self.rows.iter().copied().filter(|row| row[1] > 0 && row[1] != PENDING)
    }
}
