//! The window hierarchy that `uiautomator dump` writes: what is on the screen now.

use super::Scene;
use crate::app::Element;
use crate::pulse::Front;

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
    let pulse = scene.pulse;
    let words = |text: &str| {
        let bounds = [40, 400, i64::from(scene.archetype().width) - 40, 520];
        vec![Element {
            class: "android.widget.TextView",
            id: String::new(),
            text: text.to_owned(),
            bounds,
            scrollable: false,
            action: None,
        }]
    };
    if pulse.keyguard {
        return ("com.android.systemui".into(), words("Swipe up to open"));
    }
    for (app, process) in pulse.processes.iter().enumerate() {
        let id = pulse.setup.apps[app].id();
        if process.anr.is_some_and(|at| at <= scene.now) {
            return ("android".into(), words(&format!("{id} isn't responding")));
        }
        if process.crashed {
            return ("android".into(), words(&format!("{id} keeps stopping")));
        }
    }
    match pulse.front {
        Front::Window(index) => {
            let Some(window) = pulse.window(index) else { return ("android".into(), vec![]) };
            let app = &pulse.setup.apps[window.app];
            let position = window.ui.motion.position(scene.now);
            (app.id().to_owned(), pulse.setup.canvas().elements(app, window.page, position, &pulse.typed))
        }
        Front::Launcher => ("com.android.launcher3".into(), words("Home")),
    }
}

fn node(xml: &mut String, package: &str, index: usize, element: &Element, close: bool) {
    let id = if element.id.is_empty() { String::new() } else { format!("{package}:id/{}", element.id) };
    let [left, top, right, bottom] = element.bounds;
    *xml += &format!(
        "<node index=\"{index}\" text=\"{}\" resource-id=\"{id}\" class=\"{}\" package=\"{package}\" content-desc=\"\" \
         checkable=\"false\" checked=\"false\" clickable=\"{}\" enabled=\"true\" focusable=\"{}\" focused=\"false\" \
         scrollable=\"{}\" long-clickable=\"false\" password=\"false\" selected=\"false\" \
         bounds=\"[{left},{top}][{right},{bottom}]\"{}>",
        escaped(&element.text),
        element.class,
        element.action.is_some(),
        element.action.is_some() || element.scrollable,
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
