//! Small readers of what phones print, written from the description of the formats and not from the writers.

/// One `--latency` answer: line 1, and rows of three.
pub struct Latency {
    /// Line 1.
    pub period: i64,
    /// Rows in print order.
    pub rows: Vec<[i64; 3]>,
}

impl Latency {
    /// Present times that have signalled.
    pub fn presents(&self) -> Vec<i64> {
        self.rows.iter().map(|row| row[1]).filter(|present| *present > 0 && *present < i64::MAX).collect()
    }

    /// Rows whose fence is pending.
    pub fn pending(&self) -> usize {
        self.rows.iter().filter(|row| row[1] == i64::MAX).count()
    }

    /// Unfilled rows.
    pub fn zeros(&self) -> usize {
        self.rows.iter().filter(|row| **row == [0; 3]).count()
    }
}

/// Reads one block.
pub fn latency(text: &str) -> Latency {
    let mut lines = text.lines();
    let period = lines.next().unwrap().parse().unwrap();
    let rows = lines.take_while(|line| !line.is_empty()).map(|line| {
        let numbers: Vec<i64> = line.split('\t').map(|cell| cell.parse().unwrap()).collect();
        <[i64; 3]>::try_from(numbers).unwrap()
    });
    Latency { period, rows: rows.collect() }
}

/// The name inside `RequestedLayerState{NAME parentId=…}`, or the line itself.
pub fn unwrapped(line: &str) -> String {
    let Some(inner) = line.strip_prefix("RequestedLayerState{") else { return line.to_owned() };
    let inner = inner.strip_suffix('}').unwrap();
    let attribute = |word: &str| {
        ["parentId=", "relativeParentId=", "mirrorId=", "z=", "layerStack="]
            .iter()
            .any(|name| word.starts_with(name))
            || word == "!handle"
    };
    let mut name = inner;
    while let Some((before, word)) = name.rsplit_once(' ') {
        if !attribute(word) {
            break;
        }
        name = before;
    }
    name.to_owned()
}

/// One PROFILEDATA block: names, and rows as wide as they are.
pub fn framestats(text: &str, window: &str) -> (Vec<String>, Vec<Vec<i64>>) {
    let block = text.split(&format!("Window: {window}\n")).nth(1).unwrap();
    let block = block.split("---PROFILEDATA---\n").nth(1).unwrap();
    let mut lines = block.lines();
    let names = lines.next().unwrap().trim_end_matches(',').split(',').map(str::to_owned).collect();
    let rows = lines
        .map(|line| line.strip_suffix(',').unwrap().split(',').map(|cell| cell.parse().unwrap()).collect());
    (names, rows.collect())
}
