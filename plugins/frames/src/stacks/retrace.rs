//! Names of the source for those a shrinker gave: a mapping of R8 or ProGuard, read for what a recording holds.
//!
//! Symbols of a profiler carry no lines, so a class is certain and a method only where all methods with its short name
//! are one; where they are several, all are told.

use farmjank_causes::stacks::Recording;
use std::collections::{BTreeMap, BTreeSet};

/// Most names told where several share one.
const TOLD: usize = 4;

/// One class of the mapping.
#[derive(Default)]
struct Class {
    name: String,
    /// By short name: the source's names.
    methods: BTreeMap<String, BTreeSet<String>>,
}

/// Gives the methods of a recording the names of the source; tells how many classes the mapping knew.
pub fn retrace(recording: &mut Recording, mapping: &str) -> usize {
    let wanted: BTreeSet<&str> =
        recording.names().filter_map(|name| split(name).map(|(class, _)| class)).collect();
    let classes = read(mapping, &wanted);
    recording.rename(&|name| renamed(name, &classes));
    classes.len()
}

/// Class and method of `void a.b.c(int)`; none of what is no managed code.
fn split(name: &str) -> Option<(&str, &str)> {
    let name = name.split_once('(').map_or(name, |(before, _)| before);
    let name = name.rsplit_once(' ').map_or(name, |(_, name)| name);
    name.rsplit_once('.').filter(|(class, _)| !name.contains("::") && !class.is_empty())
}

fn renamed(name: &str, classes: &BTreeMap<String, Class>) -> Option<String> {
    let (class, method) = split(name)?;
    let known = classes.get(class)?;
    let method = match known.methods.get(method) {
        None => method.to_owned(),
        Some(names) if names.len() == 1 => names.first()?.clone(),
        Some(names) => {
            let mut told: Vec<&str> = names.iter().take(TOLD).map(String::as_str).collect();
            told.extend((names.len() > TOLD).then_some("…"));
            format!("{{{}}}", told.join("|"))
        }
    };
    Some(format!("{}.{method}", known.name))
}

/// The classes that are wanted. A line of a method is `[from:to:]type name(types)[:line[:line]] -> short`; of lines of
/// one range in one short name the last is the method itself, and those before were inlined into it.
fn read(mapping: &str, wanted: &BTreeSet<&str>) -> BTreeMap<String, Class> {
    let mut classes: BTreeMap<String, Class> = BTreeMap::new();
    let mut own: Option<String> = None;
    let mut last: Option<(String, String, String)> = None;
    for line in mapping.lines() {
        if line.trim_start().starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let Some((from, to)) = line.split_once(" -> ") else { continue };
        if !line.starts_with(char::is_whitespace) {
            settle(&mut classes, own.as_deref(), &mut last);
            let short = to.trim_end().trim_end_matches(':');
            own = wanted.contains(short).then(|| short.to_owned());
            if let Some(short) = &own {
                classes.entry(short.clone()).or_default().name = from.to_owned();
            }
            continue;
        }
        let (Some(_), Some((range, name))) = (&own, method_line(from)) else { continue };
        let next = (range.to_owned(), to.trim().to_owned(), name.to_owned());
        if last.as_ref().is_some_and(|last| range.is_empty() || (&last.0, &last.1) != (&next.0, &next.1)) {
            settle(&mut classes, own.as_deref(), &mut last);
        }
        last = Some(next);
    }
    settle(&mut classes, own.as_deref(), &mut last);
    classes
}

fn settle(
    classes: &mut BTreeMap<String, Class>,
    own: Option<&str>,
    last: &mut Option<(String, String, String)>,
) {
    let (Some((_, short, name)), Some(class)) = (last.take(), own.and_then(|own| classes.get_mut(own)))
    else {
        return;
    };
    class.methods.entry(short).or_default().insert(name);
}

/// Range and name of the method of a line; none of a field's.
fn method_line(from: &str) -> Option<(&str, &str)> {
    let from = from.trim();
    let before = from.split_once('(')?.0;
    let (front, name) = before.rsplit_once(' ')?;
    // `1:4:void`: without a range there is no colon.
    let range = front.rsplit_once(':').map_or("", |(range, _)| range);
    // A method of another class is told with it.
    Some((range, name.rsplit_once('.').map_or(name, |(_, name)| name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_causes::stacks::Call;

    const MAPPING: &str = "\
# compiler: R8
# pg_map_id: 5f1c
com.shop.Feed -> a.b:
# {\"id\":\"sourceFile\",\"fileName\":\"Feed.kt\"}
    int count -> a
    1:1:java.lang.String com.shop.Json.parse(java.lang.String):10:10 -> a
    1:1:void onReply(int):20 -> a
    2:2:void onReply(int):21 -> a
    1:3:void bind():30:32 -> b
    4:5:boolean isEmpty():40:41 -> b
    void close() -> c
com.shop.Other -> a.c:
    void run() -> a
";

    fn names(of: &[&str]) -> Vec<String> {
        let mut recording = Recording::default();
        for name in of {
            recording.call(Call { name: (*name).to_owned(), file: String::new() });
        }
        retrace(&mut recording, MAPPING);
        recording.names().map(str::to_owned).collect()
    }

    #[test]
    fn a_class_is_certain_and_a_method_where_no_other_has_its_short_name() {
        let of = ["a.b.a", "void a.b.b(int)", "a.b.c", "a.b.<init>", "a.c.a", "a.d.a", "a::b.c", "libc.so"];
        let told = [
            "com.shop.Feed.onReply",
            "com.shop.Feed.{bind|isEmpty}",
            "com.shop.Feed.close",
            "com.shop.Feed.<init>",
            "com.shop.Other.run",
            "a.d.a",
            "a::b.c",
            "libc.so",
        ];
        assert_eq!(names(&of), told);
    }
}
