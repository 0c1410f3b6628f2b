//! Screen size, rotation and refresh modes from `wm` and `dumpsys display` (docs/design/phones.md#displays).

use farmjank_results::device::{RefreshMode, Screen};
use std::collections::BTreeMap;

/// What `dumpsys display` says of the default display.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Display {
    /// Every mode.
    pub modes: Vec<RefreshMode>,
    /// Rate in force: the active mode's, or the render rate where it is lower.
    pub active_hz: Option<f64>,
    /// Quarter turns from natural orientation.
    pub rotation: u8,
}

/// Reads `wm size` and `wm density`; an override wins, as it does for `input` coordinates.
pub fn screen(wm: &str, rotation: u8) -> Option<Screen> {
    let after = |label: &str| wm.lines().filter_map(|line| line.trim().strip_prefix(label)).next_back();
    let size = after("Override size:").or_else(|| after("Physical size:"))?;
    let (width, height) = size.trim().split_once('x')?;
    let density = after("Override density:").or_else(|| after("Physical density:"));
    Some(Screen {
        width: width.trim().parse().ok().filter(|px| *px > 0)?,
        height: height.trim().parse().ok().filter(|px| *px > 0)?,
        rotation: rotation % 4,
        density: density.and_then(|text| text.trim().parse().ok()).unwrap_or(0),
    })
}

/// Reads `dumpsys display`. Several displays: the first that is internal, else the first.
pub fn display(text: &str) -> Display {
    let block = device_block(text);
    let mut modes = mode_list(block);
    if modes.is_empty() {
        modes = mode_list(text);
    }
    let by_id = |wanted: f64| modes.iter().find(|mode| f64::from(mode.id) == wanted).map(|mode| mode.hz);
    // Samsung tells apps one mode and runs the panel in another: the one it calls real.
    let real = number(text, "mActiveRealModeId=").and_then(by_id);
    let id = number(block, "modeId ")
        .or_else(|| number(text, "mActiveModeId="))
        .or_else(|| number(text, "mActiveSfDisplayMode=DisplayMode{id="));
    let active = real.or_else(|| id.and_then(by_id)).or_else(|| old_rate(text));
    let render = number(block, "renderFrameRate ").filter(|hz| *hz > 1.0);
    let rotation = number(text, "orientation=").or_else(|| number(block, "rotation "));
    Display {
        active_hz: match (active, render) {
            (Some(mode), Some(render)) => Some(mode.min(render)),
            (mode, render) => mode.or(render),
        },
        modes,
        rotation: rotation.filter(|turns| (0.0..=3.0).contains(turns)).map_or(0, |turns| turns as u8),
    }
}

/// The `DisplayDeviceInfo{…}` line of the built-in panel.
fn device_block(text: &str) -> &str {
    let blocks = || text.lines().filter(|line| line.contains("DisplayDeviceInfo{"));
    blocks()
        .find(|line| line.contains("local:") || line.contains("INTERNAL"))
        .or_else(|| blocks().next())
        .unwrap_or("")
}

/// Every `{id=…, width=…, height=…, fps=…` of a text, once per id.
fn mode_list(text: &str) -> Vec<RefreshMode> {
    let mut modes = BTreeMap::new();
    for piece in text.split("{id=").skip(1) {
        // A mode's own attributes end before the next brace; what follows belongs to something else.
        let own = &piece[..piece.find(['{', '}']).unwrap_or(piece.len())];
        let own = format!("id={own}");
        let field = |name: &str| number(&own, name);
        let rate = field("fps=").or_else(|| field("refreshRate=")).or_else(|| field("vsyncRate="));
        if let (Some(id), Some(width), Some(height), Some(hz)) =
            (field("id="), field("width="), field("height="), rate)
            && (1.0..=1000.0).contains(&hz)
            && (0.0..=1e9).contains(&id)
        {
            let mode = RefreshMode { id: id as u32, hz, width: width as u32, height: height as u32 };
            modes.entry(mode.id).or_insert(mode);
        }
    }
    modes.into_values().collect()
}

/// Android 7 style: `PhysicalDisplayInfo{1080 x 1920, 60.000004 fps, …` or `60.0 fps` in the device line.
fn old_rate(text: &str) -> Option<f64> {
    let before = text.split(" fps").next().filter(|before| before.len() < text.len())?;
    let word = before.rsplit(|letter: char| !letter.is_ascii_digit() && letter != '.').next()?;
    word.parse().ok().filter(|hz| (1.0..=1000.0).contains(hz))
}

/// The number right after the first occurrence of a label.
pub fn number(text: &str, label: &str) -> Option<f64> {
    let rest = &text[text.find(label)? + label.len()..];
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_size_wins() {
        let wm = "Physical size: 1440x3040\nOverride size: 1080x2280\nPhysical density: 560\n";
        let screen = screen(wm, 1).unwrap();
        assert_eq!(
            (screen.width, screen.height, screen.density, screen.rotated()),
            (1080, 2280, 560, (2280, 1080))
        );
        assert_eq!(super::screen("Error", 0), None);
    }

    #[test]
    fn modes_and_the_active_rate_come_from_the_device_block() {
        let text = "Display Devices: size=1\n  DisplayDeviceInfo{\"Built-in Screen\": uniqueId=\"local:1\", 1008 x 2244, modeId 3, \
                    renderFrameRate 120.00001, defaultModeId 3, supportedModes [{id=1, width=1344, height=2992, fps=60.0, \
                    vsync=60.0, alternativeRefreshRates=[120.00001]}, {id=3, width=1008, height=2244, fps=120.00001, \
                    vsync=120.00001}], rotation 0, type INTERNAL}\n    refreshRateRange: [0.0, Infinity], supportedModes=[]\n";
        let display = display(text);
        assert_eq!(display.modes.len(), 2);
        assert_eq!(display.active_hz, Some(120.00001));
    }

    #[test]
    fn a_render_rate_below_the_mode_is_the_rate_in_force() {
        let text = "DisplayDeviceInfo{\"P\": uniqueId=\"local:0\", modeId 1, renderFrameRate 30.01, supportedModes \
                    [{id=1, width=1, height=2, fps=60.03}]";
        assert_eq!(display(text).active_hz, Some(30.01));
    }

    #[test]
    fn the_mode_samsung_calls_real_is_the_active_one() {
        let samsung = |real: &str| {
            let text = format!(
                "  DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:0\", 1080 x 2400, modeId 2, supportedModes \
                 [{{id=1, width=1080, height=2400, fps=60.000004}}, {{id=2, width=1080, height=2400, fps=120.00001}}], \
                 type INTERNAL}}\n    mActiveModeId=2\n    mActiveRealModeId={real}\n    mRefreshRateMode=REFRESH_RATE_MODE_SEAMLESS\n"
            );
            display(&text).active_hz
        };
        assert_eq!(samsung("1"), Some(60.000004));
        assert_eq!(samsung("2"), Some(120.00001));
        // Not set, or no mode that is listed: what everyone else is told.
        assert_eq!([samsung("-1"), samsung("0"), samsung("7")], [Some(120.00001); 3]);
    }

    #[test]
    fn android_7_prints_its_rate_in_words() {
        let text =
            "  DisplayDeviceInfo{\"Built-in\": uniqueId=\"local:0\", 1080 x 1920, 60.0 fps, density 480}";
        assert_eq!(display(text).active_hz, Some(60.0));
        assert_eq!(display("nothing here").active_hz, None);
    }
}
