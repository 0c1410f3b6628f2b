//! What is asked of a phone when a job takes it, in the call that wakes it, and what the answers mean
//! (docs/prepare.md#what-is-looked-at).
//!
//! Must not know what follows from the answers.

use super::together::Answer;
use super::{clip, foreign, settings, state};
use farmjank_results::prepared::{PhoneState, Storage};

/// Programs that record what a phone shows, and cost it frames.
const RECORDERS: [&str; 4] = ["perfetto ", "screenrecord", "minicap", "scrcpy"];
/// Most recorders named, and the longest name.
const MOST: usize = 5;
const NAME: usize = 100;

/// The questions, in the order [`read`] takes the answers.
pub(crate) fn lines(sdk: u32) -> [String; 8] {
    let heat = if sdk >= 29 { "dumpsys thermalservice | grep 'Thermal Status:'" } else { "true" };
    // Until Android 7 `ps` lists every process without being asked to.
    let processes = if sdk >= 26 { "ps -A -w -o PID,ARGS" } else { "ps" };
    let [global, system, secure] = settings::READ.map(|(name, keys)| settings::list_line(name, keys));
    [
        "dumpsys battery".to_owned(),
        heat.to_owned(),
        "df -k /data".to_owned(),
        global,
        system,
        secure,
        format!(
            "{processes} | grep -E '{}|[d]ex2oat|{}'",
            RECORDERS.map(other_than_asking).join("|"),
            foreign::LOOPS
        ),
        "dumpsys window | grep -E 'mCurrentFocus=|mFocusedApp='".to_owned(),
    ]
}

/// A pattern for a program's name that the question itself does not match.
fn other_than_asking(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("[{first}]{rest}")
}

/// What the phone is like, and which namespaces of settings it did not tell.
pub(crate) fn read(answers: &[Answer; 8]) -> (PhoneState, Vec<&'static str>) {
    let [battery, heat, storage, _, _, _, processes, focus] = answers;
    let mut all = PhoneState {
        battery: state::battery(&battery.text()),
        thermal_status: state::thermal_status(&heat.text()),
        storage: self::storage(&storage.text()),
        dialog: dialog(&focus.text()),
        ..PhoneState::default()
    };
    let told = settings::READ.iter().zip(&answers[3..6]);
    let untold = told.filter(|((name, _), answer)| !settings::read(name, answer, &mut all.settings));
    let untold = untold.map(|((name, _), _)| *name).collect();
    if let Some(battery) = &mut all.battery {
        battery.saver = all.settings.get(settings::SAVER).is_some_and(|value| value == "1");
    }
    (all.recorders, all.compiling) = programs(&processes.text());
    (all, untold)
}

/// What it told of processes.
pub(crate) fn processes(answers: &[Answer; 8]) -> String {
    answers[6].text()
}

/// `Filesystem 1K-blocks Used Available Use% Mounted on`, then the file system; its name may have a line of its own.
fn storage(text: &str) -> Option<Storage> {
    let mut numbers =
        text.lines().skip(1).flat_map(str::split_whitespace).filter_map(|word| word.parse::<u64>().ok());
    let (total, _, free) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(Storage { free_mb: free / 1024, total_mb: total / 1024 })
}

/// Recorders by what they were started with, and whether apps are being compiled.
fn programs(text: &str) -> (Vec<String>, bool) {
    let arguments = |line: &str| line.trim().split_once(' ').map(|(_, rest)| rest.trim().to_owned());
    let (compilers, mut recorders): (Vec<String>, Vec<String>) =
        text.lines().filter_map(arguments).partition(|line| line.contains("dex2oat"));
    // One that a run of farmjank left is ended when the next one begins to record; loops are told apart elsewhere.
    recorders.retain(|line| RECORDERS.iter().any(|name| line.contains(name)) && !line.contains("/farmjank-"));
    (recorders.iter().take(MOST).map(|line| clip(line, NAME)).collect(), !compilers.is_empty())
}

/// A dialog of the platform in front: an app that crashed or hangs, or one that asks for a permission.
fn dialog(text: &str) -> Option<String> {
    match state::front(text) {
        state::Front::Dialog { kind, package } => Some(format!("{kind}: {package}")),
        asks @ state::Front::Permission => Some(asks.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_read_with_the_name_on_a_line_of_its_own_too() {
        let head = "Filesystem     1K-blocks     Used Available Use% Mounted on\n";
        let room = Some(Storage { free_mb: 20_000, total_mb: 112_500 });
        let numbers = "115200000 94720000  20480000  83% /data\n";
        assert_eq!(storage(&format!("{head}/dev/block/dm-5 {numbers}")), room);
        assert_eq!(storage(&format!("{head}/dev/block/bootdevice/by-name/userdata\n  {numbers}")), room);
        assert_eq!(storage("df: /data: Permission denied\n"), None);
        assert_eq!(storage(""), None);
    }

    #[test]
    fn recorders_and_compilers_are_told_apart() {
        let text = " 4211 perfetto -c - --txt --background -o /data/misc/perfetto-traces/a\n  812 /apex/com.android.art/bin/dex2oat64 --zip-fd=7\n";
        let (recorders, compiling) = programs(text);
        assert_eq!((recorders.len(), compiling), (1, true));
        assert!(recorders[0].starts_with("perfetto -c - --txt"), "{recorders:?}");
        assert_eq!(programs(""), (Vec::new(), false));
    }

    #[test]
    fn only_dialogs_of_the_platform_are_dialogs() {
        let focus = |title: &str| dialog(&format!("  mCurrentFocus=Window{{1 u0 {title}}}\n"));
        assert_eq!(focus("com.a/com.a.Main"), None);
        assert_eq!(focus("Application Error: com.b").as_deref(), Some("Application Error: com.b"));
        let asks = "com.google.android.permissioncontroller/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity";
        assert_eq!(focus(asks).as_deref(), Some("a dialog that asks for a permission"));
    }
}
