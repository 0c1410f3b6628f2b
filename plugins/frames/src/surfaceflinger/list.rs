//! Reads the text of `dumpsys SurfaceFlinger --list`: one layer a line, bare up to Android 14, wrapped in
//! `RequestedLayerState{NAME attributes}` from 15 on.
//!
//! Wrapped names may hold spaces, braces and text that looks like an attribute; they end in `#` and digits. Must not
//! know: which layer is wanted.

use crate::refusal::{noise, refusal};
use crate::text::{decode, lines};
use farmjank_seams::source::Unreadable;

/// Longest line taken for a layer name, in bytes. Real names stay below 400.
const LONGEST: usize = 4096;
/// Most layers read from one list. Real phones show 40 to 300.
const MOST: usize = 20_000;

const WRAPPER: &[u8] = b"RequestedLayerState{";
const ATTRIBUTES: [&str; 7] =
    ["parentId", "relativeParentId", "mirrorId", "mirrorIds", "z", "layerStack", "layerStackToMirror"];

/// A layer as the list names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name, as `--latency` wants it.
    pub name: String,
    /// Its client is gone (`!handle`): it dies and gets no more buffers.
    pub dying: bool,
}

/// Reads the list; at most 20 000 layers. An empty list is legal. Error: [`Unreadable::Refused`].
pub fn read_list(text: &[u8]) -> Result<Vec<Listed>, Unreadable> {
    let text = decode(text);
    let mut layers = Vec::new();
    for line in lines(&text).take(MOST) {
        let line = line.trim_ascii_end();
        if line.is_empty() || line.len() > LONGEST || noise(line) {
            continue;
        }
        // A layer may carry any title; a failure is never the name of a layer that exists on every phone, so it is
        // only believed where it begins the list.
        if layers.is_empty()
            && let Some(refusal) = refusal(line)
        {
            return Err(Unreadable::Refused(refusal.what));
        }
        layers.push(read_line(line));
    }
    Ok(layers)
}

fn read_line(line: &[u8]) -> Listed {
    let wrapped = line.strip_prefix(WRAPPER).and_then(|rest| rest.strip_suffix(b"}"));
    let (name, attributes) = wrapped.map_or((line, &b""[..]), unwrap);
    Listed {
        name: String::from_utf8_lossy(name).into_owned(),
        dying: attributes.split(|&byte| byte == b' ').any(|token| token == b"!handle"),
    }
}

/// Cuts `NAME attributes`: the longest name that ends in `#` and digits with nothing but attributes after it, else the
/// longest run of attributes at the end.
fn unwrap(inner: &[u8]) -> (&[u8], &[u8]) {
    let mut end = inner.len();
    while let Some(hash) = inner[..end].iter().rposition(|&byte| byte == b'#') {
        let digits = inner[hash + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (name, rest) = inner.split_at(hash + 1 + digits);
        if digits > 0 && (rest.is_empty() || rest[0] == b' ') && only_attributes(rest) {
            return (name, rest);
        }
        end = hash;
    }
    let mut cut = inner.len();
    while let Some(space) = inner[..cut].iter().rposition(|&byte| byte == b' ') {
        if !only_attributes(&inner[space..cut]) {
            break;
        }
        cut = space;
    }
    inner.split_at(cut)
}

fn only_attributes(text: &[u8]) -> bool {
    text.split(|&byte| byte == b' ').filter(|token| !token.is_empty()).all(|token| {
        let Some(equals) = token.iter().position(|&byte| byte == b'=') else { return token == b"!handle" };
        let (key, value) = (&token[..equals], &token[equals + 1..]);
        let plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b',' | b'{' | b'}');
        ATTRIBUTES.iter().any(|known| known.as_bytes() == key) && !value.is_empty() && value.iter().all(plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn only(line: &str) -> (String, bool) {
        let listed = read_list(line.as_bytes()).expect("a list").remove(0);
        (listed.name, listed.dying)
    }

    #[test]
    fn names_come_out_of_every_wrapping() {
        for (line, name, dying) in [
            ("com.foo/com.foo.Main#0", "com.foo/com.foo.Main#0", false),
            ("SurfaceView - com.foo/com.foo.Main", "SurfaceView - com.foo/com.foo.Main", false),
            ("RequestedLayerState{com.foo/com.foo.Main#91 parentId=90}", "com.foo/com.foo.Main#91", false),
            ("RequestedLayerState{com.foo/com.foo.Main#91}", "com.foo/com.foo.Main#91", false),
            (
                "RequestedLayerState{a b#7 parentId=3 relativeParentId=4 mirrorId={5,6,} !handle z=-2 layerStack=0}",
                "a b#7",
                true,
            ),
            (
                "RequestedLayerState{ActivityRecord{5e u0 com.foo/.M t3}#28983 parentId=28965}",
                "ActivityRecord{5e u0 com.foo/.M t3}#28983",
                false,
            ),
            ("RequestedLayerState{x parentId=5#9 parentId=8}", "x parentId=5#9", false),
            ("RequestedLayerState{x#4 z=5#9 z=1}", "x#4 z=5#9", false),
            ("RequestedLayerState{x#4 !handle#9}", "x#4 !handle#9", false),
            ("RequestedLayerState{no number parentId=8 z=1}", "no number", false),
            ("RequestedLayerState{#12 parentId=8}", "#12", false),
            (
                "RequestedLayerState{Leaf:0:1#5 parentId=2 newThing=1}",
                "Leaf:0:1#5 parentId=2 newThing=1",
                false,
            ),
        ] {
            assert_eq!(only(line), (name.to_owned(), dying), "{line}");
        }
    }

    #[test]
    fn refusals_and_noise_are_not_layers() {
        assert!(matches!(read_list(b"Can't find service: SurfaceFlinger\n"), Err(Unreadable::Refused(_))));
        assert_eq!(read_list(b"WARNING: linker: x\r\n\r\n").map(|layers| layers.len()), Ok(0));
        let titled = b"a#1\nPermission Denial: the film/com.foo#2\n";
        assert_eq!(read_list(titled).map(|layers| layers.len()), Ok(2));
    }

    proptest! {
        #[test]
        fn wrapping_a_name_and_reading_it_gives_it_back(
            base in "[ -~]{0,30}", number in 0u32..100_000, parent in prop::option::of(0u32..9999),
            z in prop::option::of(any::<i32>()), dying in any::<bool>(),
        ) {
            // The wrapper is ambiguous only where the name itself ends in an attribute run behind `#digits`.
            let name = format!("{base}#{number}");
            let mut line = format!("RequestedLayerState{{{name}");
            if let Some(parent) = parent { line += &format!(" parentId={parent}"); }
            if dying { line += " !handle"; }
            if let Some(z) = z { line += &format!(" z={z}"); }
            line += "}";
            prop_assert_eq!(only(&line), (name, dying));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_list(&bytes);
            let _ = read_list(&[b"RequestedLayerState{".as_slice(), &bytes, b"}"].concat());
        }
    }
}
