//! What is on the screen now: the window hierarchy that `uiautomator dump` writes, and the picture `screencap -p`
//! prints.

use super::Scene;
use crate::canvas::Element;
use crate::phone_sim::activities::Front;

/// The XML document.
pub fn hierarchy(scene: &Scene<'_>) -> String {
    let mut xml =
        String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">");
    let (package, elements) = shown(scene);
    let archetype = scene.archetype();
    let whole = [0, 0, i64::from(archetype.width), i64::from(archetype.height)];
    let frame = Element {
        class: "android.widget.FrameLayout",
        id: String::new(),
        text: String::new(),
        bounds: whole,
        scrollable: false,
        action: None,
        focused: false,
        checked: None,
    };
    node(&mut xml, &package, 0, &frame, false);
    let mut open_list = false;
    for (index, element) in elements.iter().enumerate() {
        let row = element.id == "title";
        if open_list && !row {
            xml.push_str("</node>");
            open_list = false;
        }
        node(&mut xml, &package, index, element, !element.scrollable);
        open_list |= element.scrollable;
    }
    if open_list {
        xml.push_str("</node>");
    }
    xml.push_str("</node></hierarchy>");
    xml
}

/// Package and elements in front.
fn shown(scene: &Scene<'_>) -> (String, Vec<Element>) {
    let sim = scene.sim;
    let words = |text: &str| {
        let bounds = [40, 400, i64::from(scene.archetype().width) - 40, 520];
        vec![Element {
            class: "android.widget.TextView",
            id: String::new(),
            text: text.to_owned(),
            bounds,
            scrollable: false,
            action: None,
            focused: false,
            checked: None,
        }]
    };
    if sim.screen.keyguard {
        return ("com.android.systemui".into(), words("Swipe up to open"));
    }
    for (app, process) in sim.activities.processes.iter().enumerate() {
        let id = sim.setup.apps[app].id();
        if process.anr.is_some_and(|at| at <= scene.now) {
            return ("android".into(), words(&format!("{id} isn't responding")));
        }
        if process.crashed {
            return ("android".into(), words(&format!("{id} keeps stopping")));
        }
    }
    if let Some(app) = sim.activities.asked() {
        let id = sim.setup.apps[app].id();
        return (
            "com.google.android.permissioncontroller".into(),
            words(&format!("Allow {id} to access this device's location?")),
        );
    }
    match sim.activities.front {
        Front::Window(index) => {
            let Some(window) = sim.activities.window(index) else { return ("android".into(), vec![]) };
            let app = &sim.setup.apps[window.app];
            (
                app.id().to_owned(),
                sim.setup.canvas().elements(app, window.page, &sim.shown(window, scene.now)),
            )
        }
        Front::Launcher => ("com.android.launcher3".into(), words("Home")),
    }
}

/// The screen divides so: a simulated picture needs no more pixels to tell pages and places of a list apart.
const COARSE: i64 = 4;

/// A PNG of the screen at a quarter of its size: each element a box in a colour of its own.
pub fn picture(scene: &Scene<'_>) -> Vec<u8> {
    let archetype = scene.archetype();
    let (wide, tall) = (i64::from(archetype.width) / COARSE, i64::from(archetype.height) / COARSE);
    let mut pixels = vec![246u8; usize::try_from(wide * tall * 3).unwrap_or_default()];
    let (package, elements) = shown(scene);
    let mut fill = |[left, top, right, bottom]: [i64; 4], colour: [u8; 3]| {
        for y in (top / COARSE).clamp(0, tall)..(bottom / COARSE).clamp(0, tall) {
            for x in (left / COARSE).clamp(0, wide)..(right / COARSE).clamp(0, wide) {
                let at = usize::try_from((y * wide + x) * 3).unwrap_or_default();
                pixels[at..at + 3].copy_from_slice(&colour);
            }
        }
    };
    for element in elements.iter().filter(|element| !element.scrollable) {
        let [left, top, right, bottom] = element.bounds;
        let colour = colour_of(&format!("{package} {} {}", element.id, element.text));
        fill([left + 8, top + 8, right - 8, bottom - 8], colour.map(|part| 200 + part / 5));
        // Where a picture and a line of text would be.
        let side = (bottom - top - 64).clamp(8, 160);
        fill([left + 32, top + 32, left + 32 + side, top + 32 + side], colour);
        fill([left + 64 + side, top + 48, left + 64 + side + 220, top + 72], [90, 96, 104]);
    }
    encoded(wide, tall, &pixels).unwrap_or_default()
}

/// The same words, the same colour.
fn colour_of(words: &str) -> [u8; 3] {
    let hash =
        words.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let [_, red, green, blue] = (hash ^ hash >> 15).to_be_bytes();
    [red, green, blue]
}

fn encoded(wide: i64, tall: i64, pixels: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, u32::try_from(wide).ok()?, u32::try_from(tall).ok()?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

fn node(xml: &mut String, package: &str, index: usize, element: &Element, close: bool) {
    let id = if element.id.is_empty() { String::new() } else { format!("{package}:id/{}", element.id) };
    let [left, top, right, bottom] = element.bounds;
    *xml += &format!(
        "<node index=\"{index}\" text=\"{}\" resource-id=\"{id}\" class=\"{}\" package=\"{package}\" content-desc=\"\" \
         checkable=\"{}\" checked=\"{}\" clickable=\"{}\" enabled=\"true\" focusable=\"{}\" focused=\"{}\" \
         scrollable=\"{}\" long-clickable=\"false\" password=\"false\" selected=\"false\" \
         bounds=\"[{left},{top}][{right},{bottom}]\"{}>",
        escaped(&element.text),
        element.class,
        element.checked.is_some(),
        element.checked == Some(true),
        element.action.is_some(),
        element.action.is_some() || element.scrollable,
        element.focused,
        element.scrollable,
        if close { " /" } else { "" }
    );
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            control if control.is_control() => out.push('.'),
            other => out.push(other),
        }
    }
    out
}
