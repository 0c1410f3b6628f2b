//! What is new in a text, given the one before it: stretches of lines they share, and lines that are new.
//!
//! Works on lines and bytes; must not know what they say. A ring that was dumped again shares most of its lines,
//! shifted.

/// A text and where its lines end.
#[derive(Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// It ends with a line end.
    pub tail: bool,
}

impl Text {
    pub fn new(bytes: &[u8]) -> Self {
        let mut text = Text::default();
        text.refill(bytes);
        text
    }

    /// Another text in the same memory.
    pub(crate) fn refill(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.ends.clear();
        self.ends.extend(memchr::memchr_iter(b'\n', bytes));
        self.tail = bytes.ends_with(b"\n");
        if !self.tail && !bytes.is_empty() {
            self.ends.push(bytes.len());
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// What it takes, bytes.
    pub fn size(&self) -> u64 {
        (self.bytes.len() + size_of::<usize>() * self.ends.len()) as u64
    }

    /// A line without its end.
    pub fn line(&self, at: usize) -> &[u8] {
        &self.bytes[self.start(at)..self.ends[at]]
    }

    /// So many lines from one on, without the end of the last.
    pub fn stretch(&self, from: usize, count: usize) -> &[u8] {
        if count == 0 { &[] } else { &self.bytes[self.start(from)..self.ends[from + count - 1]] }
    }

    /// Where a line starts.
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before] + 1)
    }
}

/// Finds the lines of a text: an open table of line numbers, at most half full. Of equal lines it knows the first.
struct Index<'a> {
    text: &'a Text,
    /// Line number and one; zero where nothing is.
    slots: Vec<u32>,
}

impl<'a> Index<'a> {
    fn of(text: &'a Text) -> Self {
        let mut index = Index { text, slots: vec![0; (2 * text.len()).next_power_of_two()] };
        for at in 0..text.len() {
            let slot = index.slot(text.line(at));
            if index.slots[slot] == 0 {
                index.slots[slot] = at as u32 + 1;
            }
        }
        index
    }

    /// The first line like this one.
    fn find(&self, line: &[u8]) -> Option<usize> {
        (self.slots[self.slot(line)] as usize).checked_sub(1)
    }

    /// Where a line is, or would be.
    fn slot(&self, line: &[u8]) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = (fingerprint(line) >> 32) as usize & last;
        while let Some(at) = (self.slots[slot] as usize).checked_sub(1) {
            if self.text.line(at) == line {
                break;
            }
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// A few bytes that tell most lines apart: the length, the end, and the middle, where numbers differ.
fn fingerprint(line: &[u8]) -> u64 {
    let word =
        |at: usize| line.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let short = || line.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
    let end = line.len().checked_sub(8).and_then(word).unwrap_or_else(short);
    let middle = word(line.len() / 2).unwrap_or_default();
    let mixed = (end ^ line.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ middle;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// How many bytes two texts have in common from their beginnings on.
fn common(one: &[u8], other: &[u8]) -> usize {
    let mut at = 0;
    for stride in [256, 16, 1] {
        while one.get(at..at + stride).is_some_and(|part| other.get(at..at + stride) == Some(part)) {
            at += stride;
        }
    }
    at
}

/// How many lines the two texts share from these lines on.
fn shared(before: &Text, from: usize, text: &Text, at: usize) -> usize {
    let (theirs, start) = (&before.bytes[before.start(from)..], text.start(at));
    let bytes = common(theirs, &text.bytes[start..]);
    let lines = text.ends[at..].partition_point(|end| end - start < bytes);
    // The last line of either text may lack its end, and is the same line all the same.
    let (next, last) = (from + lines, at + lines);
    let last = next < before.len() && last < text.len() && before.line(next) == text.line(last);
    lines + usize::from(last)
}

/// Greedy: each line is looked for in the dump before, just after the last match first.
pub(super) fn delta(before: &Text, text: &Text, out: &mut Vec<u8>) {
    // Built when a line does not simply follow: equal dumps never need it.
    let mut index: Option<Index<'_>> = None;
    let mut find = |line: &[u8]| match before.len() {
        0 => None,
        _ => index.get_or_insert_with(|| Index::of(before)).find(line),
    };
    let mut at = 0;
    let mut next = 0;
    let mut ahead = None;
    while at < text.len() {
        let line = text.line(at);
        let follows = next < before.len() && before.line(next) == line;
        let looked_up = ahead.take();
        let found = if follows { Some(next) } else { looked_up.unwrap_or_else(|| find(line)) };
        match found {
            Some(from) => {
                let same = shared(before, from, text, at);
                out.extend_from_slice(format!("={from} {same}\n").as_bytes());
                (at, next) = (at + same, from + same);
            }
            None => {
                let mut fresh = 1;
                while at + fresh < text.len() {
                    ahead = Some(find(text.line(at + fresh)));
                    if ahead.is_some_and(|found| found.is_some()) {
                        break;
                    }
                    fresh += 1;
                }
                out.extend_from_slice(format!("+{fresh}\n").as_bytes());
                out.extend_from_slice(&text.bytes[text.start(at)..text.ends[at + fresh - 1]]);
                out.push(b'\n');
                at += fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What [`delta`] writes, found by looking at every line.
    fn plainly(before: &Text, text: &Text) -> Vec<u8> {
        let find = |line: &[u8]| (0..before.len()).find(|at| before.line(*at) == line);
        let mut out = Vec::new();
        let mut at = 0;
        let mut next = 0;
        while at < text.len() {
            let follows = next < before.len() && before.line(next) == text.line(at);
            if let Some(from) = if follows { Some(next) } else { find(text.line(at)) } {
                let most = (before.len() - from).min(text.len() - at);
                let same = (0..most).take_while(|n| before.line(from + n) == text.line(at + n)).count();
                out.extend_from_slice(format!("={from} {same}\n").as_bytes());
                (at, next) = (at + same, from + same);
            } else {
                let new = (at..text.len()).take_while(|at| find(text.line(*at)).is_none()).count();
                out.extend_from_slice(format!("+{new}\n").as_bytes());
                (at..at + new).for_each(|at| out.extend([text.line(at), b"\n"].concat()));
                at += new;
            }
        }
        out
    }

    proptest! {
        #[test]
        fn the_fast_search_finds_what_the_plain_one_finds(
            lines in prop::collection::vec("[01]{0,3}|0{7,20}1?|[ab]{300,301}", 0..60),
            cuts in prop::array::uniform4(0usize..60),
            tails in prop::array::uniform2(any::<bool>()),
        ) {
            let part = |one: usize, other: usize, tail: bool| {
                let (one, other) = (one.min(lines.len()), other.min(lines.len()));
                let text = lines[one.min(other)..one.max(other)].join("\n");
                Text::new((text + if tail { "\n" } else { "" }).as_bytes())
            };
            let (before, text) = (part(cuts[0], cuts[1], tails[0]), part(cuts[2], cuts[3], tails[1]));
            let mut fast = Vec::new();
            delta(&before, &text, &mut fast);
            prop_assert_eq!(String::from_utf8(fast), String::from_utf8(plainly(&before, &text)));
        }
    }
}
