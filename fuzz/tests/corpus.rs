//! The targets without a fuzzer: every file of the corpus, and seeded changes of it. `FARMJANK_FUZZ_SECONDS` says how
//! long each target is driven (default 2); what is printed at the end is how often each was.

use farmjank_fuzz::TARGETS;
use std::path::Path;
use std::time::{Duration, Instant};

/// A generator of its own: the same seed makes the same changes on every machine (xorshift64*, Vigna 2016).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// Numbers and words that readers stumble over.
const WORDS: [&[u8]; 12] = [
    b"-1",
    b"0",
    b"18446744073709551615",
    b"9223372036854775807",
    b"1e308",
    b"\n",
    b"\t",
    b"\x00",
    b"\xff\xff",
    b"{}",
    b"${",
    b"\xe2\x80\xae",
];

fn changed(chance: &mut Chance, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    for _ in 0..=chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let to = (at + chance.below(40)).min(bytes.len());
        match chance.below(7) {
            0 => drop(bytes.drain(at..to)),
            1 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            2 => drop(bytes.splice(at..to, WORDS[chance.below(WORDS.len())].iter().copied())),
            3 => {
                let piece = bytes[at..to].to_vec();
                let place = chance.below(bytes.len() + 1);
                drop(bytes.splice(place..place, piece));
            }
            4 => bytes.truncate(at.max(1)),
            5 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                drop(bytes.splice(at.., other[from..].iter().copied()));
            }
            _ => bytes.insert(at, chance.next() as u8),
        }
    }
    bytes.truncate(1 << 16);
    bytes
}

#[test]
fn no_change_of_the_corpus_upsets_a_reader() {
    let seconds = std::env::var("FARMJANK_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).expect("a corpus").map(|file| file.expect("a file").path()).collect();
        files.sort();
        let seeds: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a file")).collect();
        assert!(!seeds.is_empty(), "{name} has a corpus");
        seeds.iter().for_each(|bytes| target(bytes));
        let mut chance = Chance(0x5eed_0000 + name.len() as u64);
        let (began, mut runs) = (Instant::now(), 0_u64);
        while began.elapsed() < Duration::from_secs(seconds) {
            let bytes = changed(&mut chance, &seeds);
            if std::panic::catch_unwind(|| target(&bytes)).is_err() {
                let place = std::env::temp_dir().join(format!("farmjank-fuzz-{name}"));
                std::fs::write(&place, &bytes).expect("written");
                panic!("{name} is upset by the bytes in {}", place.display());
            }
            runs += 1;
        }
        println!("{name}: {runs} executions in {seconds} s");
    }
}
