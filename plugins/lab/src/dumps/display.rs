//! `dumpsys display`: the words of each Android version (docs/design/phones.md#displays).

use super::{Scene, line};
use crate::archetype::{Archetype, Mode};

/// Writes the answer.
pub fn display(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let archetype = scene.archetype();
    let rate = archetype.rates[scene.sim.panel.at(scene.now).rate];
    let state = if scene.sim.screen.awake { "ON" } else { "OFF" };
    let (width, height) = (archetype.width, archetype.height);
    line!(out, "DISPLAY MANAGER (dumpsys display)");
    line!(out, "  mOnlyCode=false");
    line!(out, "  mSafeMode=false");
    line!(
        out,
        "  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:0', \
         physicalPort=0, orientation=0, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, \
         {height}), deviceWidth={width}, deviceHeight={height}}}]"
    );
    line!(out);
    line!(out, "Display States: size=1");
    line!(out, "  Display Id=0");
    line!(out, "  Display State={state}");
    line!(out);
    line!(out, "Display Devices: size=1");
    line!(out, "  {}", device(archetype, rate.mode, rate.hz, state));
    line!(out, "    mAdapter=LocalDisplayAdapter");
    line!(out, "    mUniqueId=local:0");
    line!(out, "    mActiveModeId={}", rate.mode);
    if archetype.manufacturer == "samsung" && archetype.sdk >= 30 {
        line!(out, "    mActiveRealModeId={}", rate.mode);
        line!(out, "    mRefreshRateMode=REFRESH_RATE_MODE_SEAMLESS");
    }
    line!(out, "    mActiveColorMode=0");
    line!(out, "    mState={state}");
    if archetype.sdk <= 30 {
        line!(out, "    mDisplayInfos=");
        line!(
            out,
            "      PhysicalDisplayInfo{{{width} x {height}, {:?} fps, density 2.625, secure true}}",
            rate.hz
        );
    } else {
        let active = sf_mode(archetype, rate.mode);
        line!(out, "    mActiveSfDisplayMode={active}");
    }
    line!(out, "    mSupportedModes=");
    for mode in archetype.modes {
        line!(out, "      DisplayModeRecord{{mMode={}}}", self::mode(archetype, *mode));
    }
    line!(out);
    line!(out, "Logical Displays: size=1");
    line!(out, "  Display 0:");
    line!(out, "    mDisplayId=0");
    line!(out, "    mLayerStack=0");
    let render = if archetype.sdk >= 34 { format!("renderFrameRate {:?}, ", rate.hz) } else { String::new() };
    line!(
        out,
        "    mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0\", real {width} x {height}, {render}mode {}, \
         defaultMode 1, modes [{}], rotation 0, state {state}, type INTERNAL, uniqueId \"local:0\", density {}}}",
        rate.mode,
        modes(archetype),
        archetype.density
    );
    if archetype.sdk >= 30 {
        let peak = archetype.modes.iter().map(|mode| mode.fps).fold(0.0, f32::max);
        line!(out);
        line!(out, "DisplayModeDirector");
        line!(out, "  mDefaultPeakRefreshRate: {peak:?}");
        line!(out, "  mVotes:");
        line!(out, "    0:");
        line!(
            out,
            "      PRIORITY_USER_SETTING_MIN_REFRESH_RATE -> Vote{{width=-1, height=-1, minRefreshRate=0.0, maxRefreshRate=Infinity}}"
        );
    }
}

/// The line of the built-in panel.
fn device(archetype: &Archetype, mode: u32, hz: f32, state: &str) -> String {
    let size = format!("{} x {}", archetype.width, archetype.height);
    let begin = format!("DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:0\", {size}, ");
    let end = format!(
        "density {}, touch INTERNAL, rotation 0, type INTERNAL, state {state}, FLAG_DEFAULT_DISPLAY}}",
        archetype.density
    );
    match archetype.sdk {
        ..=25 => format!(
            "{begin}{hz:?} fps, modeId {mode}, defaultModeId 1, supportedModes [{}], colorTransformId 0, {end}",
            modes(archetype)
        ),
        26..=33 => format!(
            "{begin}modeId {mode}, defaultModeId 1, supportedModes [{}], colorMode 0, {end}",
            modes(archetype)
        ),
        _ => format!(
            "{begin}modeId {mode}, renderFrameRate {hz:?}, defaultModeId 1, userPreferredModeId -1, supportedModes [{}], colorMode 0, {end}",
            modes(archetype)
        ),
    }
}

fn modes(archetype: &Archetype) -> String {
    let each: Vec<String> = archetype.modes.iter().map(|mode| self::mode(archetype, *mode)).collect();
    each.join(", ")
}

fn mode(archetype: &Archetype, mode: Mode) -> String {
    let mut text = format!(
        "{{id={}, width={}, height={}, fps={:?}",
        mode.id, archetype.width, archetype.height, mode.fps
    );
    if archetype.sdk >= 35 {
        text += &format!(", vsync={:?}", mode.vsync);
    }
    if archetype.sdk >= 31 {
        let others: Vec<String> = archetype
            .modes
            .iter()
            .filter(|other| other.id != mode.id)
            .map(|other| format!("{:?}", other.fps))
            .collect();
        text += &format!(", alternativeRefreshRates=[{}]", others.join(", "));
    }
    if archetype.sdk >= 34 {
        text += ", supportedHdrTypes=[2, 3, 4]";
    }
    text + "}"
}

fn sf_mode(archetype: &Archetype, id: u32) -> String {
    let Some(place) = archetype.modes.iter().position(|mode| mode.id == id) else { return String::new() };
    let mode = archetype.modes[place];
    let rates = match archetype.sdk {
        ..=34 => format!("refreshRate={:?}", mode.fps),
        _ => format!("peakRefreshRate={:?}, vsyncRate={:?}", mode.fps, mode.vsync),
    };
    format!(
        "DisplayMode{{id={place}, width={}, height={}, xDpi=411.0, yDpi=411.0, {rates}, appVsyncOffsetNanos=1000000, \
         presentationDeadlineNanos=11500000, group=0}}",
        archetype.width, archetype.height
    )
}
