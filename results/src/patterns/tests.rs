//! Patterns of labs made up for the purpose.

use super::*;
use serde_json::json;

const BAD: Option<&str> = Some("threshold.fps");

/// A phone of this rate, model and Android.
fn phone(serial: &str, hz: f64, model: &str, sdk: u32) -> DeviceFacts {
    let facts = json!({
        "id": serial, "model": model, "manufacturer": "", "sdk": sdk, "release": (sdk - 20).to_string(), "fingerprint": "",
        "screen": null, "modes": [{ "id": 1, "hz": hz, "width": 1, "height": 1 }], "active_hz": null, "ram_mb": null,
        "battery": null, "thermal_status": null, "animations": null, "keyguard": null, "awake": null, "emulator": false,
        "is_virtual": true, "tags": []
    });
    serde_json::from_value(facts).expect("facts")
}

/// Sixty phones of 120 Hz, of three models, and four of 60 Hz.
fn rack() -> Vec<DeviceFacts> {
    let fast =
        (0..60).map(|at| phone(&format!("F{at:02}"), 119.99, ["A", "B", "C"][at % 3], 33 + at as u32 % 2));
    let slow = (0..4).map(|at| phone(&format!("S{at}"), 60.0, "D", 33));
    fast.chain(slow).collect()
}

/// Every window on every phone; `verdict` says what came of it.
fn seen<'a>(
    phones: &'a [DeviceFacts],
    windows: &[&'a str],
    verdict: impl Fn(&str, &DeviceFacts) -> Verdict,
) -> Vec<Seen<'a>> {
    let cell = |window: &'a str, facts: &'a DeviceFacts| {
        let verdict = verdict(window, facts);
        Seen {
            window: window.split_once('/').unwrap_or(("Shop", window)),
            phone: &facts.id,
            facts: Some(facts),
            verdict,
            cause: BAD.filter(|_| verdict != Verdict::Pass),
        }
    };
    windows
        .iter()
        .flat_map(|window| phones.iter().map(move |facts| (*window, facts)))
        .map(|(w, f)| cell(w, f))
        .collect()
}

fn told(cells: &[Seen<'_>]) -> (Vec<String>, usize) {
    let (patterns, rest) = of_cells(cells);
    (patterns.iter().map(|one| sentence(one, DeviceId::to_string)).collect(), rest)
}

fn fail_if(is: bool) -> Verdict {
    if is { Verdict::Fail } else { Verdict::Pass }
}

#[test]
fn two_windows_on_every_fast_phone_are_one_sentence() {
    let rack = rack();
    let cells = seen(&rack, &["feed", "product", "profile"], |window, facts| {
        let fast = facts.fastest_hz() > Some(100.0);
        // The profile holds on eight of the fast ones.
        fail_if(fast && (window == "product" || window == "profile" && facts.id.0.as_str() >= "F08"))
    });
    let (patterns, rest) = of_cells(&cells);
    assert_eq!((patterns.len(), rest), (1, 0));
    let one = &patterns[0];
    assert_eq!((one.cells, one.everywhere, one.of, one.phones.len()), (112, 52, 64, 60));
    assert_eq!(
        one.windows.iter().map(|w| (w.window.as_str(), w.phones, w.of)).collect::<Vec<_>>(),
        [("product", 60, 64), ("profile", 52, 64)]
    );
    assert_eq!(one.causes, [("threshold.fps".to_owned(), 112)]);
    assert_eq!(
        sentence(one, DeviceId::to_string),
        "2 windows broke on 60 of 64 phones (both on 52); all are 120 Hz, and none of that kind was spared"
    );
}

#[test]
fn nothing_in_common_is_said_where_chance_explains_it() {
    let four: Vec<DeviceFacts> =
        ["a", "b", "c", "d"].map(|one| phone(one, if one == "d" { 60.0 } else { 120.0 }, one, 34)).into();
    let cells = seen(&four, &["feed"], |_, facts| fail_if(facts.id.0 != "d"));
    assert_eq!(told(&cells).0, ["Shop › feed broke on 3 of 4 phones"]);
    // Every third phone, whatever it is.
    let rack = rack();
    let cells = seen(&rack, &["feed"], |_, facts| fail_if(facts.id.0.ends_with(['1', '4', '7'])));
    assert_eq!(told(&cells).0, ["Shop › feed broke on 19 of 64 phones"]);
}

#[test]
fn one_that_is_otherwise_does_not_hide_what_nearly_all_have_in_common() {
    let rack = rack();
    let cells = seen(&rack, &["feed"], |_, facts| {
        fail_if(facts.model == "B" && facts.id.0 != "F01" || facts.id.0 == "S0")
    });
    assert_eq!(told(&cells).0, ["Shop › feed broke on 20 of 64 phones; 19 of the 20 are B"]);
}

#[test]
fn a_bad_phone_and_a_bad_window_are_two_sentences_and_every_cell_is_in_one() {
    let rack = rack();
    let windows = ["Shop/a", "Cart/b", "Pay/c", "Pay/d"];
    let cells = seen(&rack, &windows, |window, facts| match (window, facts.id.0.as_str()) {
        ("Shop/a", _) => Verdict::Fail,
        (_, "F03") => Verdict::Broken,
        ("Cart/b", "F10" | "F11") => Verdict::Fail,
        _ => Verdict::Pass,
    });
    let (sentences, rest) = told(&cells);
    assert_eq!(sentences, ["Shop › a broke on all 64 phones", "3 of 4 windows could not be measured on F03"]);
    assert_eq!(rest, 2);
    let (patterns, _) = of_cells(&cells);
    let bad = cells.iter().filter(|cell| cell.verdict != Verdict::Pass).count();
    assert_eq!(patterns.iter().map(|one| one.cells).sum::<usize>() + rest, bad);
}

#[test]
fn a_few_cells_are_no_pattern() {
    let rack = rack();
    let cells = seen(&rack, &["feed"], |_, facts| fail_if(facts.id.0.as_str() < "F02"));
    assert_eq!(told(&cells), (Vec::new(), 2));
    // Three windows of one job that a fault ended are told by it.
    let cells = seen(&rack, &["a", "b", "c"], |_, facts| fail_if(facts.id.0 == "F02"));
    assert_eq!(told(&cells), (Vec::new(), 3));
}
