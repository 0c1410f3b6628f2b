//! The file people attach to an issue: `answers.json` and `dumps.txt` in a tar archive (ustar), packed with gzip.
//!
//! Written and read by the same few lines: two plain files need no library. Bytes in, bytes out; one phone's answers
//! give one archive, byte for byte. Must not know what the answers mean.

use super::{Answers, FORMAT, Proof};
use farmjank_results::dump::Dump;
use farmjank_results::evidence::{self, EvidenceError, EvidenceWriter, Room};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// A block of a tar archive, bytes.
const BLOCK: usize = 512;
/// Most bytes an archive may unpack to.
const MOST: u64 = 64 * 1024 * 1024;
/// Where the answers are.
const ANSWERS: &str = "answers.json";
/// Where the dumps are, in the form of a run bundle's evidence.
const DUMPS: &str = "dumps.txt";

/// Why a file is no archive of a proof that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// Its first layer does not unpack.
    #[error("it is no gzip file, or cut short ({0})")]
    NoGzip(String),
    /// Its second layer does not unpack.
    #[error("it is no tar archive")]
    NoTar,
    /// It ends in the middle of a file.
    #[error("it is cut short")]
    Cut,
    /// It unpacks to more bytes than are read.
    #[error("it unpacks to more than {MOST} bytes")]
    TooLarge,
    /// A file is not in it.
    #[error("it holds no {0}")]
    Without(String),
    /// A file of it cannot be read.
    #[error("{0}: {1}")]
    Damaged(&'static str, String),
    /// It was written by a later farmjank.
    #[error("it is of format {0}, and this farmjank reads up to {FORMAT}")]
    Later(u32),
}

/// The archive of a proof.
///
/// # Errors
/// The answers cannot be written as JSON.
pub fn pack(proof: &Proof) -> std::io::Result<Vec<u8>> {
    let answers = serde_json::to_vec_pretty(&proof.answers)?;
    let mut writer = EvidenceWriter::default();
    let dumps: Vec<u8> = proof.dumps.iter().flat_map(|dump| writer.encode(dump)).collect();
    let mut tar = Vec::new();
    for (name, bytes) in [(ANSWERS, &answers), (DUMPS, &dumps)] {
        tar.extend_from_slice(&header(name, bytes.len()));
        tar.extend_from_slice(bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks end an archive.
    tar.resize(tar.len() + 2 * BLOCK, 0);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&tar)?;
    packed.finish()
}

/// The proof in an archive.
///
/// # Errors
/// It is none of ours, damaged, or of a later form.
pub fn unpack(archive: &[u8]) -> Result<Proof, NoProof> {
    let mut tar = Vec::new();
    let read = GzDecoder::new(archive).take(MOST + 1).read_to_end(&mut tar);
    read.map_err(|error| NoProof::NoGzip(error.to_string()))?;
    if tar.len() as u64 > MOST {
        return Err(NoProof::TooLarge);
    }
    let files = files(&tar)?;
    let file = |name: &str| files.get(name).copied().ok_or_else(|| NoProof::Without(name.to_owned()));
    let answers: Answers = serde_json::from_slice(file(ANSWERS)?)
        .map_err(|error| NoProof::Damaged(ANSWERS, error.to_string()))?;
    if answers.format > FORMAT {
        return Err(NoProof::Later(answers.format));
    }
    let dumps = match file(DUMPS)? {
        [] => Vec::new(),
        bytes => unfolded(bytes).map_err(|why| NoProof::Damaged(DUMPS, why.to_string()))?,
    };
    Ok(Proof { answers, dumps })
}

/// The dumps of an archive, which unfold to no more than an archive may have.
fn unfolded(bytes: &[u8]) -> Result<Vec<Dump>, EvidenceError> {
    let (mut dumps, mut size) = (Vec::new(), 0);
    evidence::each(bytes, &mut Room::of_file(bytes.len() as u64), |dump, _| {
        size += dump.text.len() as u64;
        dumps.push(dump);
        if size > MOST { Err(EvidenceError::TooMuch("64 MiB in an archive")) } else { Ok(()) }
    })?;
    Ok(dumps)
}

/// The block before a file: name, mode, owner, length in octal, time, checksum, kind, magic.
fn header(name: &str, length: usize) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{length:011o}\0"));
    put(136, "00000000000\0");
    // The sum is over the block with blanks in the place of the sum.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Files of a tar archive by name.
fn files(tar: &[u8]) -> Result<BTreeMap<String, &[u8]>, NoProof> {
    let mut files = BTreeMap::new();
    let mut rest = tar;
    while rest.len() >= BLOCK && rest[0] != 0 {
        let (head, body) = rest.split_at(BLOCK);
        let text = |from: usize, to: usize| {
            let field = head[from..to].split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(field).trim().to_owned()
        };
        let length = usize::from_str_radix(&text(124, 136), 8).map_err(|_| NoProof::NoTar)?;
        let bytes = body.get(..length).ok_or(NoProof::Cut)?;
        // Who packs it anew may put it into a folder.
        let name = text(0, 100);
        files.insert(name.rsplit('/').next().unwrap_or_default().to_owned(), bytes);
        rest = body.get(length.next_multiple_of(BLOCK)..).unwrap_or_default();
    }
    Ok(files)
}
