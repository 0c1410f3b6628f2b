//! What the Matrix library writes of slow methods (`Trace_EvilMethod`): JSON objects, in a list, line by line or inside
//! lines of a log (`tag[…]type[…];key[…];content[{…}]`), with numbers for methods that the mapping of the build names.

use farmjank_causes::stacks::{Inside, Issue};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The kind that tells of methods.
const TAG: &str = "Trace_EvilMethod";
/// Others that are told of and hold no methods.
const OTHERS: [&str; 3] = ["Trace_FPS", "Trace_StartUp", "Trace_ANR"];
/// A number that every build has: what a message is handed to.
const DISPATCH: (u32, &str) = (1_048_574, "android.os.Handler.dispatchMessage");
/// Most methods of one issue that are read, and how deep they are.
const METHODS: usize = 10_000;
const DEEPEST: usize = 512;
const MS: i64 = 1_000_000;
/// Longest issue, ms: a day. No method of one takes longer.
const LONGEST: i64 = 86_400_000;

/// Issues of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// Slow methods by process.
    pub issues: BTreeMap<String, Vec<Issue>>,
    /// Issues of other kinds, by kind.
    pub passed_over: BTreeMap<String, u32>,
    /// Lines and objects that are none.
    pub unreadable: u32,
    /// Methods of which the mapping knew no name.
    pub nameless: usize,
}

/// Whether text that begins so holds issues of Matrix.
pub fn is_matrix(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    start.contains(TAG) || OTHERS.iter().any(|other| start.contains(other))
}

/// Reads issues. `mapping`: lines of `id,access,class method signature`, as the build wrote them.
pub fn read(text: &str, mapping: Option<&str>) -> Matrix {
    let mut found = Matrix::default();
    let mut objects = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(all)) => objects.extend(all),
        Ok(one @ Value::Object(_)) => objects.push(one),
        _ => {
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                match of_line(line) {
                    Some(object) => objects.push(object),
                    // Other lines of a log are nobody's fault.
                    None if line.contains(TAG) || line.trim_start().starts_with('{') => found.unreadable += 1,
                    None => {}
                }
            }
        }
    }
    objects.iter_mut().for_each(open);
    let names = names(mapping.unwrap_or_default(), &objects);
    let mut nameless = BTreeSet::new();
    for object in &objects {
        let tag = object["tag"].as_str().unwrap_or_default();
        if tag != TAG {
            *found.passed_over.entry(tag.chars().take(60).collect()).or_default() += 1;
            continue;
        }
        match issue(object, &names, &mut nameless) {
            Some((process, issue)) => found.issues.entry(process).or_default().push(issue),
            None => found.unreadable += 1,
        }
    }
    found.nameless = nameless.len();
    found
}

/// The object in a line; its tag may stand before it.
fn of_line(line: &str) -> Option<Value> {
    let (from, to) = (line.find('{')?, line.rfind('}')?);
    let mut object: Value = serde_json::from_str(line.get(from..=to)?).ok()?;
    let fields = object.as_object_mut()?;
    if !fields.contains_key("tag")
        && let Some(tag) = line[..from].split_once("tag[").and_then(|(_, rest)| rest.split_once(']'))
    {
        fields.insert("tag".to_owned(), Value::from(tag.0));
    }
    Some(object)
}

/// Brings out what stands in the `content` of an issue: whoever sends the whole issue on has it there, as an object, as
/// its text, or as what a writer of Java objects makes of it.
fn open(issue: &mut Value) {
    let content = match &issue["content"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        content => {
            content["nameValuePairs"].as_object().map_or(content, |_| &content["nameValuePairs"]).clone()
        }
    };
    if let (Value::Object(content), Some(fields)) = (content, issue.as_object_mut()) {
        for (key, value) in content {
            fields.entry(key).or_insert(value);
        }
    }
}

/// A number that may be written as text.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn issue(
    object: &Value,
    names: &BTreeMap<u32, String>,
    nameless: &mut BTreeSet<u32>,
) -> Option<(String, Issue)> {
    let cost = number(&object["cost"]).filter(|cost| (0..=LONGEST).contains(cost))?;
    let ended = number(&object["time"]).unwrap_or(0);
    let stack = object["stack"].as_str()?;
    let mut methods = Vec::new();
    for line in stack.lines().filter(|line| !line.trim().is_empty()).take(METHODS) {
        let (depth, id, ns) = method(line)?;
        let method = names.get(&id).cloned().unwrap_or_else(|| {
            nameless.insert(id);
            format!("method {id}")
        });
        methods.push(Inside { depth, method, ns });
    }
    let process = object["process"].as_str().unwrap_or_default().to_owned();
    let ns = |ms: i64| ms.saturating_mul(MS);
    Some((process, Issue { ended: ns(ended), ns: ns(cost), methods }))
}

/// `depth,id,count,ms`.
fn method(line: &str) -> Option<(usize, u32, i64)> {
    let mut parts = line.split(',').map(str::trim);
    let (depth, id) = (parts.next()?.parse::<usize>().ok()?, parts.next()?.parse().ok()?);
    let (_count, ms) = (parts.next()?, parts.next()?.parse::<i64>().ok()?);
    Some((depth.min(DEEPEST), id, ms.clamp(0, LONGEST) * MS))
}

/// Names of the methods that are in these issues.
fn names(mapping: &str, objects: &[Value]) -> BTreeMap<u32, String> {
    let stacks = objects.iter().filter_map(|object| object["stack"].as_str());
    let wanted: BTreeSet<u32> = stacks.flat_map(str::lines).filter_map(method).map(|(_, id, _)| id).collect();
    let mut names = BTreeMap::from([(DISPATCH.0, DISPATCH.1.to_owned())]);
    for line in mapping.lines() {
        let Some((id, rest)) = line.split_once(',') else { continue };
        let Some(id) = id.trim().parse().ok().filter(|id| wanted.contains(id)) else { continue };
        // Access, then class, method and signature.
        let mut words = rest.split_once(',').map_or(rest, |(_, rest)| rest).split_whitespace();
        if let (Some(class), Some(method)) = (words.next(), words.next()) {
            names.insert(id, format!("{class}.{method}"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAPPING: &str =
        "243,1,com.shop.Feed bind (I)V\n244,17,com.shop.Thumb decode ()Landroid.graphics.Bitmap;\n";
    const ISSUE: &str = r#"{"tag":"Trace_EvilMethod","type":0,"process":"com.shop","time":1700000000500,"cost":720,
        "scene":"com.shop.Main","detail":"NORMAL","stack":"0,1048574,1,700\n1,243,1,650\n2,244,3,500\n2,9,1,20\n","stackKey":"243|"}"#;

    fn methods(found: &Matrix) -> Vec<(usize, &str, i64)> {
        let one = |one: &'_ Inside| (one.depth, one.ns / MS);
        let names = found.issues["com.shop"][0].methods.iter().map(|one| one.method.as_str());
        let times = found.issues["com.shop"][0].methods.iter().map(one);
        names.zip(times).map(|(name, (depth, ms))| (depth, name, ms)).collect()
    }

    #[test]
    fn an_issue_is_read_as_object_in_a_list_by_line_and_in_a_log_and_names_come_from_the_mapping() {
        let line = ISSUE.replace('\n', "").replace(r"\\n", r"\n");
        let without = line.replace(r#""tag":"Trace_EvilMethod","#, "");
        let log = format!(
            "03-01 10:00 I Matrix: tag[Trace_EvilMethod]type[0];key[243|];content[{without}]\nother line\n"
        );
        let fps = r#"{"tag":"Trace_FPS","scene":"x","dropLevel":{}}"#;
        let inside = |open: &str, close: &str| {
            format!(r#"{{"tag":"Trace_EvilMethod","key":"243|","content":{open}{without}{close}}}"#)
        };
        let as_text = serde_json::to_string(&without).expect("a text");
        let told_on = format!(r#"{{"tag":"Trace_EvilMethod","content":{as_text}}}"#);
        let forms = [inside("", ""), inside(r#"{"nameValuePairs":"#, "}"), told_on];
        for text in forms {
            assert_eq!(methods(&read(&text, Some(MAPPING))).len(), 4, "{text}");
        }
        for text in [ISSUE.to_owned(), format!("[{ISSUE},{fps}]"), format!("{line}\n{fps}\n{{torn\n"), log] {
            let found = read(&text, Some(MAPPING));
            let told = [
                (0, "android.os.Handler.dispatchMessage", 700),
                (1, "com.shop.Feed.bind", 650),
                (2, "com.shop.Thumb.decode", 500),
                (2, "method 9", 20),
            ];
            assert_eq!(methods(&found), told, "{text}");
            assert_eq!((found.nameless, found.issues["com.shop"][0].ended / MS), (1, 1_700_000_000_500));
            assert_eq!(found.unreadable, u32::from(text.contains("{torn")));
            let passed = u32::from(text.contains("Trace_FPS"));
            assert_eq!(found.passed_over.values().sum::<u32>(), passed);
        }
        assert!(is_matrix(ISSUE.as_bytes()) && !is_matrix(b"{\"tag\":1}"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_counted(text in "[\\[{]?(\"tag\":\"Trace_EvilMethod\",?|\"stack\":\"[0-9,\\\\n]{0,40}\"|[ -~]{0,30}){0,4}[}\\]]?") {
            let _ = read(&text, Some(MAPPING));
        }
    }
}
