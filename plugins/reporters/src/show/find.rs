//! A cell by what somebody types: `phone/scenario/window`, each part as much of the name as tells it apart.
//!
//! Must not know: how a cell is shown.

use crate::cells::{Cell, phone, worst_first};
use crate::clean::NAME;
use crate::paint::TextStyle;
use crate::words;
use farmjank_results::record::Record;

/// The three names of a cell: phone (model and serial), scenario, window.
pub fn names(cell: &Cell) -> [String; 3] {
    [phone(cell.device(), cell.facts()), cell.job.planned.scenario.clone(), cell.name.to_owned()]
}

/// Why no cell was found.
pub enum Missed<'a> {
    /// None fits; all there are, worst first.
    Nobody(Vec<Cell<'a>>),
    /// Those that fit, worst first.
    Several(Vec<Cell<'a>>),
}

/// The one cell that fits.
///
/// Parts may be left out: `pixel 8/fling` is any phone, then any scenario or window. Case does not count. A name given
/// whole goes before one that only contains it.
///
/// # Errors
/// When none fits, or several do.
pub fn find<'a>(record: &'a Record, wanted: &str) -> Result<Cell<'a>, Missed<'a>> {
    let all = worst_first(record);
    let wanted = wanted.to_lowercase();
    let parts: Vec<&str> = wanted.split('/').map(str::trim).collect();
    let mut whole = Vec::new();
    let mut found = Vec::new();
    for cell in &all {
        let names = names(cell).map(|name| name.to_lowercase());
        let serial = cell.device().map(|id| id.0.to_lowercase()).unwrap_or_default();
        let equal = |part: &str, at: usize| names[at] == part || (at == 0 && serial == part);
        // A name may hold a slash itself.
        let plain = !wanted.is_empty() && names.join("/").contains(&wanted);
        if fits(&parts, &|part, at| names[at].contains(part)) || plain {
            found.push(cell.clone());
        }
        if fits(&parts, &equal) {
            whole.push(cell.clone());
        }
    }
    for mut some in [whole, found] {
        match some.len() {
            0 => {}
            1 => return Ok(some.remove(0)),
            _ => return Err(Missed::Several(some)),
        }
    }
    Err(Missed::Nobody(all))
}

/// Cells as lines that name them, at most `most`.
pub fn listed(cells: &[Cell], most: usize, style: TextStyle) -> String {
    let line = |cell: &Cell| {
        let names = names(cell).map(|name| style.text(&name, NAME));
        format!("  {:<9}  {}\n", words::verdict(cell.verdict), names.join("/"))
    };
    let mut text: String = cells.iter().take(most).map(line).collect();
    if cells.len() > most {
        text += &format!("  and {} more\n", cells.len() - most);
    }
    text
}

/// Whether the parts fit the three names in order, some names perhaps left out; `is` says whether a part fits the name
/// at a place.
pub fn fits(parts: &[&str], is: &dyn Fn(&str, usize) -> bool) -> bool {
    fn from(parts: &[&str], at: usize, is: &dyn Fn(&str, usize) -> bool) -> bool {
        let Some((first, rest)) = parts.split_first() else { return true };
        (at..3).any(|at| is(first, at) && from(rest, at + 1, is))
    }
    parts.len() <= 3 && from(parts, 0, is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_in_order() {
        let names = ["pixel 8 (p8)", "home feed", "fling"];
        let contains = |part: &str, at: usize| names[at].contains(part);
        assert!(fits(&["pixel", "home", "fling"], &contains));
        assert!(fits(&["pixel", "fling"], &contains) && fits(&["home"], &contains));
        assert!(!fits(&["fling", "pixel"], &contains));
        assert!(!fits(&["pixel", "home", "fling", ""], &contains));
    }
}
