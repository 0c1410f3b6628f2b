//! Whether anything can still be written on a phone: `df -k /data`, as toybox prints it
//! (docs/design/phones.md#state).

use farmjank_results::fault::{Fault, FaultCode};

/// What is asked.
pub(crate) const LEFT: &str = "df -k /data";
/// Less than this is none, KiB: a screen's hierarchy or the beginning of a trace does not fit.
const NONE_KIB: u64 = 1_024;

/// The fault of a phone without room; nothing where there is some, or the phone does not say.
pub(crate) fn full(df: &str) -> Option<Fault> {
    // Filesystem, blocks, used, available; long names of devices stand on a line of their own.
    let row = df.lines().rfind(|line| line.trim_end().ends_with("/data"))?;
    let numbers: Vec<u64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [_, _, left] = *numbers.first_chunk::<3>()?;
    let what = || format!("no room is left on the phone ({left} KiB of /data)");
    let advice = "free its storage: remove files of /sdcard and /data/local/tmp, old apps and their data";
    (left < NONE_KIB).then(|| Fault::new(FaultCode::StorageFull, what()).advise(advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_phone_is_told_from_one_with_room_and_from_one_that_does_not_say() {
        let df = |left: &str| {
            format!(
                "Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/block/dm-44  53687091 53687091 {left:>9} 100% /data\n"
            )
        };
        let fault = full(&df("0")).expect("full");
        assert_eq!((fault.code.word(), fault.what.contains("0 KiB")), ("storage_full", true));
        assert_eq!((full(&df("204800")), full("df: not found"), full("")), (None, None, None));
    }
}
