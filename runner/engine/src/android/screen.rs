//! What is on the screen, through `uiautomator dump`: elements by text or id, and where to tap them.

use super::clip;
use crate::patience::Patience;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::step::Selector;
use farmjank_seams::device::Device;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Where the dump is written: always writable for the shell user.
const PATH: &str = "/sdcard/window_dump.xml";

/// One element of the hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// `text`
    pub text: String,
    /// `content-desc`
    pub description: String,
    /// `resource-id`
    pub id: String,
    /// Left, top, right, bottom in px.
    pub bounds: (i64, i64, i64, i64),
}

impl Element {
    /// The middle, in px.
    pub fn center(&self) -> (i64, i64) {
        let (left, top, right, bottom) = self.bounds;
        ((left + right) / 2, (top + bottom) / 2)
    }

    /// It has an area.
    pub(crate) fn is_on_screen(&self) -> bool {
        let (left, top, right, bottom) = self.bounds;
        right > left && bottom > top
    }
}

/// Dumps and reads the hierarchy. `ui_unreadable` (passing) while an animation keeps uiautomator waiting.
pub async fn elements(device: &dyn Device, patience: &Patience) -> Result<Vec<Element>, Fault> {
    hierarchy(device, patience).await.map(|(_, elements)| elements)
}

/// The hierarchy as an XML document, and what is in it.
pub(crate) async fn hierarchy(
    device: &dyn Device,
    patience: &Patience,
) -> Result<(String, Vec<Element>), Fault> {
    let line = format!("uiautomator dump {PATH} && cat {PATH} && rm -f {PATH}");
    let output = device.shell(&line, patience.dump).await?;
    let mut text = output.text();
    // The first line is uiautomator's own (`UI hierchary dumped to: …`); the document follows.
    let Some(at) = text.find("<?xml").or_else(|| text.find("<hierarchy")) else {
        let said = if output.err.is_empty() { text } else { output.err_text() };
        let what = format!("uiautomator gave no screen: {}", clip(&said, 200));
        return Err(Fault::new(FaultCode::UiUnreadable, what).passing());
    };
    let document = text.split_off(at);
    let elements = read(&document).map_err(|why| Fault::new(FaultCode::UiUnreadable, why).passing())?;
    Ok((document, elements))
}

/// Reads a hierarchy document.
fn read(xml: &str) -> Result<Vec<Element>, String> {
    let mut reader = Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) if tag.name().as_ref() == b"node" => {
                found.push(element(&tag))
            }
            Ok(Event::Eof) => return Ok(found),
            Ok(_) => {}
            Err(error) => return Err(format!("the screen's hierarchy is not XML: {error}")),
        }
    }
}

fn element(tag: &BytesStart<'_>) -> Element {
    let mut element = Element::default();
    for attribute in tag.attributes().flatten() {
        let raw = String::from_utf8_lossy(&attribute.value);
        let value =
            quick_xml::escape::unescape(&raw).map_or_else(|_| raw.to_string(), |text| text.into_owned());
        match attribute.key.as_ref() {
            b"text" => element.text = value,
            b"content-desc" => element.description = value,
            b"resource-id" => element.id = value,
            b"bounds" => element.bounds = bounds(&value).unwrap_or_default(),
            _ => {}
        }
    }
    element
}

/// `[0,64][1080,200]`
fn bounds(text: &str) -> Option<(i64, i64, i64, i64)> {
    let mut numbers = text.split(['[', ']', ',']).filter(|word| !word.is_empty()).map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?, next()?))
}

/// The first element on the screen that a selector means. A text is a regular expression over the whole text or
/// description, as in Maestro; one that is no valid expression is taken literally.
pub fn find<'a>(elements: &'a [Element], selector: &Selector) -> Option<&'a Element> {
    let on_screen = elements.iter().filter(|element| element.is_on_screen());
    match selector {
        Selector::Id(id) => {
            let suffix = format!(":id/{id}");
            on_screen.into_iter().find(|element| element.id == *id || element.id.ends_with(&suffix))
        }
        Selector::Text(text) => {
            let pattern = regex_lite::Regex::new(&format!("^(?:{text})$")).ok();
            let means = |candidate: &str| {
                !candidate.is_empty()
                    && (candidate == text
                        || pattern.as_ref().is_some_and(|pattern| pattern.is_match(candidate)))
            };
            on_screen.into_iter().find(|element| means(&element.text) || means(&element.description))
        }
    }
}

/// A selector in words, for messages.
pub fn describe(selector: &Selector) -> String {
    match selector {
        Selector::Text(text) => format!("text `{}`", clip(text, 80)),
        Selector::Id(id) => format!("id `{}`", clip(id, 80)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
        <node index="0" text="" resource-id="com.a:id/list" content-desc="" bounds="[0,64][1080,2200]">
        <node index="1" text="Item 7 &amp; more" resource-id="com.a:id/title" content-desc="seventh" bounds="[0,64][1080,200]" />
        <node index="2" text="Gone" resource-id="" content-desc="" bounds="[0,0][0,0]" /></node></hierarchy>"#;

    #[test]
    fn elements_are_found_by_id_text_pattern_and_description() {
        let elements = read(XML).unwrap();
        let text = |text: &str| Selector::Text(text.into());
        assert_eq!(find(&elements, &Selector::Id("title".into())).unwrap().center(), (540, 132));
        assert!(find(&elements, &text("Item 7 & more")).is_some());
        assert!(find(&elements, &text("Item \\d+.*")).is_some());
        assert!(find(&elements, &text("Item")).is_none(), "a text must match the whole");
        assert!(find(&elements, &text("seventh")).is_some());
        assert!(find(&elements, &text("Gone")).is_none(), "an element without area is not on the screen");
        assert!(find(&elements, &text("[")).is_none(), "an invalid pattern is literal text");
    }

    #[test]
    fn broken_documents_are_refused() {
        assert!(read("<hierarchy><node text='a' </hierarchy>").is_err() || read("<a></b>").is_err());
    }
}
