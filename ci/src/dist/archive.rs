//! A tar archive (ustar) packed with gzip in which nothing depends on when, where or by whom it was made: no times, no
//! owners, files in the order given. Bytes in, bytes out.

use crate::program::Failed;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// A block of a tar archive, bytes.
const BLOCK: usize = 512;

/// A file of the archive.
pub struct Entry {
    /// Its name in the folder.
    pub name: String,
    /// It is a program.
    pub runs: bool,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Packs files into one folder.
///
/// # Errors
/// A name is longer than the format takes.
pub fn pack(folder: &str, entries: &[Entry]) -> Result<Vec<u8>, Failed> {
    let mut tar = Vec::new();
    for entry in entries {
        tar.extend_from_slice(&header(&format!("{folder}/{}", entry.name), entry.bytes.len(), entry.runs)?);
        tar.extend_from_slice(&entry.bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks end an archive.
    tar.resize(tar.len() + 2 * BLOCK, 0);
    // The header of this encoder has neither a time nor a name.
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let failed = |why: std::io::Error| Failed(format!("the archive cannot be packed: {why}"));
    packed.write_all(&tar).map_err(failed)?;
    packed.finish().map_err(failed)
}

/// The block before a file: name, mode, owner, length in octal, time, checksum, kind, magic.
fn header(name: &str, length: usize, runs: bool) -> Result<[u8; BLOCK], Failed> {
    let length = format!("{length:011o}");
    if name.len() >= 100 || length.len() > 11 {
        return Err(Failed(format!("{name} does not fit into a tar archive")));
    }
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, if runs { "0000755\0" } else { "0000644\0" });
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &length);
    put(136, "00000000000\0");
    // The sum is over the block with blanks in the place of the sum.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn entries() -> Vec<Entry> {
        let entry = |name: &str, runs, text: &str| Entry { name: name.to_owned(), runs, bytes: text.into() };
        vec![entry("farmjank", true, "#!/bin/sh\n"), entry("README.md", false, &"x".repeat(1_000))]
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        assert_eq!(pack("f", &entries()), pack("f", &entries()));
        assert!(pack(&"f".repeat(100), &entries()).is_err());
    }

    #[test]
    fn tar_opens_it() {
        let Ok(mut tar) =
            Command::new("tar").args(["-tvzf", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        else {
            println!("skipped: there is no tar");
            return;
        };
        tar.stdin.take().unwrap().write_all(&pack("f", &entries()).unwrap()).unwrap();
        let told = tar.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].starts_with("-rwxr-xr-x") && lines[0].ends_with("f/farmjank"), "{told}");
        assert!(lines[1].starts_with("-rw-r--r--") && lines[1].contains("1000"), "{told}");
    }
}
