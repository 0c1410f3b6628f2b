//! A profile for the Firefox Profiler: the main thread, looked at every millisecond of a stall, with a marker for each
//! stall.

use super::calls;
use crate::clean::{NAME, line};
use farmjank_results::held_stacks::HeldStacks;
use fxprof_processed_profile::{
    CategoryColor, CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, MarkerTiming, Profile,
    ReferenceTimestamp, SamplingInterval, StaticSchemaMarker, StaticSchemaMarkerField, StringHandle,
    ThreadHandle, Timestamp,
};

const APART: i64 = 1_000_000;
/// Most looks of one stack, as a minute of it says no more; and of all.
const MOST: i64 = 60_000;
const ALL: i64 = 2_000_000;

struct Stall {
    name: StringHandle,
}

impl StaticSchemaMarker for Stall {
    const UNIQUE_MARKER_TYPE_NAME: &'static str = "Stall";
    const FIELDS: &'static [StaticSchemaMarkerField] = &[];

    fn name(&self, _profile: &mut Profile) -> StringHandle {
        self.name
    }

    fn category(&self, _profile: &mut Profile) -> CategoryHandle {
        CategoryHandle::OTHER
    }

    fn string_field_value(&self, _field_index: u32) -> StringHandle {
        self.name
    }

    fn number_field_value(&self, _field_index: u32) -> f64 {
        0.0
    }
}

/// The profile, as JSON.
pub fn firefox(app: &str, process: i32, stalls: &[HeldStacks]) -> String {
    let app = line(app, NAME);
    // The recording's clock is the phone's: it began at no date.
    let reference = ReferenceTimestamp::from_millis_since_unix_epoch(0.0);
    let mut profile = Profile::new(&app, reference, SamplingInterval::from_millis(1));
    let id = process.unsigned_abs();
    let start = time(stalls.first().map_or(0, |stall| stall.from));
    let process = profile.add_process(&app, id, start);
    let thread = profile.add_thread(process, id, start, true);
    profile.set_thread_name(thread, "main");
    let running = profile.add_category("Running", CategoryColor::Yellow);
    let off = profile.add_category("Off CPU", CategoryColor::Blue);
    let name = profile.intern_string("Stall");
    let mut left = ALL;
    for stall in stalls {
        let timing = MarkerTiming::Interval(time(stall.from), time(stall.to));
        profile.add_marker(thread, timing, Stall { name });
        for stack in &stall.stacks {
            let category = if stack.off_cpu { off } else { running };
            let handle = stack_of(&mut profile, thread, calls(stack), category);
            let looks = (stack.ns / APART).clamp(1, MOST).min(left);
            left -= looks;
            for nth in 0..looks {
                let cpu =
                    if stack.off_cpu { CpuDelta::ZERO } else { CpuDelta::from_nanos(APART.unsigned_abs()) };
                profile.add_sample(thread, time(stack.at + nth * APART), handle, cpu, 1);
            }
        }
    }
    serde_json::to_string(&profile).map(|json| json + "\n").unwrap_or_default()
}

fn stack_of(
    profile: &mut Profile,
    thread: ThreadHandle,
    calls: impl Iterator<Item = String>,
    category: CategoryHandle,
) -> Option<fxprof_processed_profile::StackHandle> {
    let mut frames = Vec::new();
    for call in calls {
        let frame = Frame::Label(profile.intern_string(&call));
        frames.push(FrameInfo { frame, category_pair: category.into(), flags: FrameFlags::empty() });
    }
    profile.intern_stack_frames(thread, frames.into_iter())
}

fn time(ns: i64) -> Timestamp {
    Timestamp::from_nanos_since_reference(ns.max(0).unsigned_abs())
}
