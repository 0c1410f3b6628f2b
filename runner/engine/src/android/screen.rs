//! What is on the screen, through `uiautomator dump`: its elements, and where to tap them.

use super::clip;
use crate::patience::Patience;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Where the dump is written: always writable for the shell user.
const PATH: &str = "/sdcard/window_dump.xml";

/// One element of the hierarchy. One field for each attribute that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// `text`
    pub text: String,
    /// `content-desc`
    pub description: String,
    /// `resource-id`
    pub id: String,
    /// `hint`, which a field shows while it is empty; Android 14 and newer tell it.
    pub hint: String,
    /// Left, top, right, bottom in px.
    pub bounds: (i64, i64, i64, i64),
    /// Number of the first element that no longer lies inside it.
    pub end: usize,
    /// A tap does something.
    pub clickable: bool,
    /// It takes input.
    pub enabled: bool,
    /// It is checked.
    pub checked: bool,
    /// It has the input focus.
    pub focused: bool,
    /// It is selected.
    pub selected: bool,
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
    let mut open: Vec<usize> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) if tag.name().as_ref() == b"node" => {
                open.push(found.len());
                found.push(element(&tag));
            }
            Ok(Event::Empty(tag)) if tag.name().as_ref() == b"node" => {
                found.push(Element { end: found.len() + 1, ..element(&tag) })
            }
            Ok(Event::End(tag)) if tag.name().as_ref() == b"node" => {
                let end = found.len();
                if let Some(closed) = open.pop().and_then(|at| found.get_mut(at)) {
                    closed.end = end;
                }
            }
            Ok(Event::Eof) => return Ok(found),
            Ok(_) => {}
            Err(error) => return Err(format!("the screen's hierarchy is not XML: {error}")),
        }
    }
}

fn element(tag: &BytesStart<'_>) -> Element {
    let mut element = Element { enabled: true, ..Element::default() };
    for attribute in tag.attributes().flatten() {
        let raw = String::from_utf8_lossy(&attribute.value);
        let value =
            quick_xml::escape::unescape(&raw).map_or_else(|_| raw.to_string(), |text| text.into_owned());
        match attribute.key.as_ref() {
            b"text" => element.text = value,
            b"content-desc" => element.description = value,
            b"resource-id" => element.id = value,
            b"hint" => element.hint = value,
            b"clickable" => element.clickable = value == "true",
            b"enabled" => element.enabled = value == "true",
            b"checked" => element.checked = value == "true",
            b"focused" => element.focused = value == "true",
            b"selected" => element.selected = value == "true",
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

#[cfg(test)]
mod tests {
    use super::super::find::Wanted;
    use super::*;
    use farmjank_scenarios::selector::Selector;
    use farmjank_scenarios::template::Template;

    const XML: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
        <node index="0" text="" resource-id="com.a:id/list" content-desc="" bounds="[0,64][1080,2200]">
        <node index="1" text="Item 7 &amp; more" resource-id="com.a:id/title" content-desc="seventh" bounds="[0,64][1080,200]" />
        <node index="2" text="Gone" resource-id="" content-desc="" bounds="[0,0][0,0]" /></node></hierarchy>"#;

    #[test]
    fn elements_are_found_by_id_text_pattern_and_description() {
        let elements = read(XML).unwrap();
        let find = |selector: Selector| {
            let mut fill = |text: &Template| Ok::<_, ()>(text.to_string());
            Wanted::new(&selector, &mut fill).unwrap().find(&elements).cloned()
        };
        let text = |text: &str| find(Selector::text(text));
        assert_eq!(find(Selector::id("title")).unwrap().center(), (540, 132));
        assert!(text("Item 7 & more").is_some() && text("item 7 & MORE").is_some());
        assert!(text("Item \\d+.*").is_some());
        assert!(text("Item").is_none(), "a text must match the whole");
        assert!(text("seventh").is_some());
        assert!(text("Gone").is_none(), "an element without area is not on the screen");
        assert!(text("[").is_none(), "an invalid pattern is literal text");
    }

    #[test]
    fn broken_documents_are_refused() {
        assert!(read("<hierarchy><node text='a' </hierarchy>").is_err() || read("<a></b>").is_err());
    }
}
