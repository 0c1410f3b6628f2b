//! Listings of a farm: columns for people, and the form for programs, whose names of fields are a promise
//! (docs/listings.md): add, never rename.

use serde_json::Value;

/// Columns, as wide as what stands in them.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let of_row = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(of_row).collect()
}

/// A form for programs as it is printed.
pub fn pretty(all: &Value) -> String {
    serde_json::to_string_pretty(all).unwrap_or_default() + "\n"
}

/// How much something takes.
pub fn shown_size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
