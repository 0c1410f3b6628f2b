//! Files of one document that stand beside scenarios: read whole, with every complaint in order of lines.

use super::read_context::ReadContext;
use super::{ReadOptions, SourceFile, in_order, step};
use crate::complaint::Complaint;
use crate::node::{Entry, Kind, Node};
use crate::source::Source;
use crate::yaml;
use farmjank_results::file_error::FileProblem;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Reads a file by what its document holds; nothing where it has none. `keep` says what to do about a second one.
///
/// # Errors
/// Every complaint, in order of lines.
pub(super) fn one_document<T: Default>(
    file: &SourceFile,
    keep: &str,
    of_document: impl FnOnce(&mut ReadContext<'_>, &Node) -> T,
) -> Result<T, Vec<Complaint>> {
    let source = Rc::new(Source::new(&file.name, &file.text).map_err(|complaint| vec![complaint])?);
    let (nothing, none) = (|_: &str| Err(FileProblem::Missing), BTreeMap::new());
    let options = ReadOptions { metrics: &[], sources: &nothing };
    let mut ctx = ReadContext::new(&source, &none, &options, step::steps);
    let parsed = yaml::parse(&source);
    ctx.take(parsed.complaints);
    let found = match &parsed.documents[..] {
        [] => T::default(),
        [one] => of_document(&mut ctx, one),
        [_, second, ..] => {
            ctx.complain(second.mark, "a second document in one file", keep);
            T::default()
        }
    };
    let complaints = in_order(ctx.complaints(), &file.name);
    if complaints.is_empty() { Ok(found) } else { Err(complaints) }
}

/// The keys a document begins with; none where it is empty, or begins with something else. `instead` says what to
/// write then.
pub(super) fn keys(ctx: &mut ReadContext<'_>, document: &Node, instead: &str) -> Option<Rc<Vec<Entry>>> {
    match &document.kind {
        Kind::Map(keys) => Some(keys.clone()),
        Kind::Null => None,
        _ => {
            ctx.complain(document.mark, "the file does not begin with keys", instead);
            None
        }
    }
}
