//! By what methods are told, and whose they are: files that are read here, and on every host of a farm.

use crate::args::RunArgs;
use crate::command_error::CommandError;
use crate::{host, owners};
use farmjank_frames::ftrace::Methods;
use farmjank_shifts::brought::{FileBytes, MethodFiles};
use std::path::Path;

/// Most bytes of a mapping: it is held whole.
const MAPPING: u64 = 1 << 30;

/// How methods are told, and whose they are, where it is asked why frames are late.
pub fn methods(args: &RunArgs) -> Result<(Methods, MethodFiles), CommandError> {
    let named =
        |path: &Path, bytes: Vec<u8>| FileBytes { file: path.display().to_string(), bytes: bytes.into() };
    let mapping = args.methods.mapping.as_deref();
    let mapping = mapping.map(|path| Ok::<_, CommandError>(named(path, host::read_file(path, MAPPING)?)));
    let owners = args.methods.owners.as_deref();
    let owners = owners.map(|path| Ok::<_, CommandError>(named(path, owners::bytes(path)?)));
    let files = MethodFiles { mapping: mapping.transpose()?, owners: owners.transpose()? };
    Ok((told_by(args.methods.stacks, &files)?, files))
}

/// The same by files that were read already, here or on another computer.
///
/// # Errors
/// Every complaint about the file of owners.
pub fn told_by(wanted: bool, files: &MethodFiles) -> Result<Methods, CommandError> {
    let mapping = files.mapping.as_ref().map(|file| String::from_utf8_lossy(&file.bytes).into());
    let owners = files.owners.as_ref().map(|file| owners::of_text(&file.file, file.bytes.to_vec()));
    Ok(Methods { wanted, mapping, owners: owners.transpose()?.unwrap_or_default().into() })
}
