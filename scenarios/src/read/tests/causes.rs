//! Limits on causes: what stands in the brackets, and what is said of it where it selects nothing.

use super::complaints::check;
use super::read_files;
use farmjank_results::cause_life::OnNew;

fn with(limit: &str) -> String {
    format!(
        "appId: a.b\nthresholds:\n  {limit}\nsteps:\n- measure: fling\n  steps:\n  - swipe: {{ direction: UP }}\n"
    )
}

#[test]
fn a_limit_on_causes_is_read_as_any_other_and_stands_beside_that_on_all_of_them() {
    let text = with(
        "hitch_ms_per_s[lock.*]: 'max < 5'\n  'hitch_ms_per_s[waiting]': ['mean < 9', 'p(90) < 20']\n  hitch_ms_per_s: 'mean < 30'",
    );
    let read = read_files(&[("s.yaml", &text)], &[]).expect("a scenario");
    let all: Vec<_> =
        read[0].thresholds.iter().map(|one| (one.metric.as_str(), one.limit.text.as_str())).collect();
    let locks = ("hitch_ms_per_s[lock.*]", "max < 5");
    let waits = ["mean < 9", "p(90) < 20"].map(|text| ("hitch_ms_per_s[waiting]", text));
    assert_eq!(all, [locks, waits[0], waits[1], ("hitch_ms_per_s", "mean < 30")]);
    assert!(read[0].metrics().contains("hitch_ms_per_s[lock.*]"));
}

#[test]
fn a_limit_on_what_a_plugin_computes_is_read_where_the_plugin_is_not() {
    let text = with("pace.uneven: ['mean < 3%', { limit: 'max > 20ms', backwards: true }]");
    let read = read_files(&[("s.yaml", &text)], &[]).expect("a scenario");
    let all: Vec<_> = read[0].limits().iter().map(|one| (&*one.limit.text, one.backwards)).collect();
    assert_eq!(all, [("mean < 3%", false), ("max > 20ms", true)]);
    check(
        &with("pace.Uneven: 'mean < 3%'"),
        "3:3+11 `pace.Uneven` is no metric of a plugin -> write `NAME.metric`: the plugin as `--plugin NAME=…` calls it, a \
         point, the metric in small letters\n",
    );
}

#[test]
fn new_causes_fail_a_window_or_are_said() {
    let text =
        |new: &str| with("fps: 'min > 5'").replace("appId", &format!("causes: {{ new: {new} }}\nappId"));
    let read = |new: &str| read_files(&[("s.yaml", &text(new))], &[]).expect("a scenario")[0].on_new;
    assert_eq!((read("fail"), read("warn")), (Some(OnNew::Fail), Some(OnNew::Warn)));
    check(&text("fial"), "1:16+4 `new` takes fail or warn, not `fial` -> write `fail` or `warn`\n");
    check(&text("fail").replace("new", "news"), "1:11+4 unknown key `news` in `causes` -> write `new`\n");
}

#[test]
fn a_selector_that_selects_nothing_is_told_with_its_place_and_what_is_nearest() {
    check(
        &with("hitch_ms_per_s[lock.monitr]: 'max < 5'"),
        "3:18+11 no cause is called `lock.monitr` -> write `hitch_ms_per_s[lock.monitor]`\n",
    );
    check(
        &with("'hitch_ms_per_s[lock]': 'max < 5'"),
        "3:19+4 `lock` is no cause alone: its kinds follow a point -> write `hitch_ms_per_s[lock.*]`\n",
    );
    check(
        &with("fps[lock.*]: 'min > 5'"),
        "3:3+3 `fps` is not split by causes -> write `hitch_ms_per_s[lock.*]`, the one metric that is\n",
    );
    check(
        &with("hitch_ms_per_s[lock.*: 'max < 5'"),
        "3:18+6 the bracket around causes is not closed -> write `hitch_ms_per_s[lock.*]`\n",
    );
    check(
        &with("hitch_ms_per_s[]: 'max < 5'"),
        "3:18+1 the brackets name no cause -> write `hitch_ms_per_s[lock.*]`\n",
    );
    check(
        &with("hitch_ms_per_s[lock.*]: 'max < 5 fps'"),
        "3:34+5 `fps` does not fit this metric; it takes ms/s -> write `5ms/s`\n",
    );
}
