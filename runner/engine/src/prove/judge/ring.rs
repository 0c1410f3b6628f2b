//! The ring: its size, its order, its columns, its layer, and that reading it in our rhythm loses nothing.

use super::Case;
use super::rows::{PENDING, printed};
use crate::prove::Belief;
use farmjank_results::timeline::GapCause;

/// Rows of the classic ring.
const CLASSIC: usize = 127;
/// Display frames of the newer history; it prints fewer rows where a layer was still.
const HISTORY: usize = 64;
/// The first sdk that may keep the history.
const HISTORY_SDK: u32 = 35;
/// Frames whose fence may be pending at once.
const IN_FLIGHT: usize = 4;

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    vec![layer(case), size(case), order(case), columns(case), rhythm(case)]
}

fn layer(case: &Case<'_>) -> Belief {
    let (key, what) = ("layer.choice", "one of the layers we read shows the frames of the list");
    let read = case.proof.answers.layers.len();
    match &case.list {
        Some((name, timeline)) => {
            let enough = timeline.frames.len() >= 8 * case.proof.answers.swipes.len().max(1) / 2;
            let evidence = format!("{} frames on `{name}`, {read} layers read", timeline.frames.len());
            Belief::of(key, what, enough, evidence)
        }
        None => Belief::of(key, what, false, format!("{read} layers read, and none shows a frame")),
    }
}

fn size(case: &Case<'_>) -> Belief {
    let (key, sdk) = ("ring.size", case.proof.answers.phone.sdk);
    let what = match sdk {
        ..HISTORY_SDK => format!("a layer's ring has {CLASSIC} rows"),
        _ => format!("a layer's ring has {CLASSIC} rows, or {HISTORY} where the build keeps a history"),
    };
    let Some(most) = case.rings.iter().map(|(dump, _)| printed(&dump.text).rows.len()).max() else {
        return Belief::untold(key, what, "no ring was read");
    };
    // A history prints the rows of one layer among the frames of the display.
    let history = sdk >= HISTORY_SDK && (1..=HISTORY).contains(&most);
    Belief::of(key, what, most == CLASSIC || history, format!("at most {most} rows"))
}

fn order(case: &Case<'_>) -> Belief {
    let (key, what) = ("ring.order", "rows come oldest first, and those not yet shown come last");
    let mut wrong = 0;
    let mut rows = 0;
    let mut pending = 0;
    for (dump, _) in &case.rings {
        let printed = printed(&dump.text);
        let waiting = printed.rows.iter().filter(|row| row[1] == PENDING).count();
        pending = pending.max(waiting);
        let frames: Vec<i64> = printed.rows.iter().map(|row| row[1]).filter(|at| *at > 0).collect();
        rows += frames.len();
        wrong += frames.windows(2).filter(|pair| pair[1] < pair[0]).count();
    }
    let evidence = format!("{wrong} of {rows} rows out of order, at most {pending} not yet shown");
    if rows == 0 {
        return Belief::untold(key, what, "no row was printed");
    }
    Belief::of(key, what, wrong == 0 && pending <= IN_FLIGHT, evidence)
}

/// A buffer is ready before it is shown; with columns in another order most are shown before they are ready.
fn columns(case: &Case<'_>) -> Belief {
    let (key, what) =
        ("ring.columns", "columns are desired, shown, ready: no frame is shown before it is ready");
    let mut early = 0;
    let mut rows = 0;
    for (dump, _) in &case.rings {
        for [_, present, ready] in printed(&dump.text).shown() {
            rows += 1;
            early += u64::from(ready > present && ready != PENDING);
        }
    }
    if rows == 0 {
        return Belief::untold(key, what, "no row was printed");
    }
    Belief::of(
        key,
        what,
        early * 100 <= rows,
        format!("{early} of {rows} frames shown before they are ready"),
    )
}

fn rhythm(case: &Case<'_>) -> Belief {
    let (key, what) = ("ring.rhythm", "read in our rhythm, the ring loses no frame");
    let longest = case.proof.answers.longest_ms;
    let Some((_, timeline)) = &case.list else { return Belief::untold(key, what, "no frame was seen") };
    let lost = timeline.gaps.iter().filter(|gap| gap.cause == GapCause::Overflow).count();
    let evidence = format!(
        "{lost} gaps in {} dumps; longest time between two {:.0} ms, {longest:.0} ms allowed",
        timeline.row_counts.samples,
        timeline.row_counts.longest_silence.ms()
    );
    Belief::of(key, what, lost == 0, evidence)
}
