//! What names of slices say: which kind of work, and which part of a name stays the same from frame to frame.

use crate::kind::Kind;

/// Names that begin like this are work of this kind; the first that fits counts.
const BEGIN: [(&str, Kind); 30] = [
    ("GC: Wait For", Kind::GcWait),
    ("WaitForGcToComplete", Kind::GcWait),
    ("monitor contention", Kind::LockMonitor),
    ("Lock contention on", Kind::LockArt),
    ("Contending for pthread mutex", Kind::LockMutex),
    ("inflate", Kind::UiInflate),
    ("measure", Kind::UiLayout),
    ("layout", Kind::UiLayout),
    ("Record View#draw", Kind::UiDraw),
    ("draw-VRI", Kind::UiDraw),
    ("draw", Kind::UiDraw),
    ("ImageDecoder#decode", Kind::BitmapDecode),
    ("decodeBitmap", Kind::BitmapDecode),
    ("BitmapFactory", Kind::BitmapDecode),
    ("Texture upload", Kind::GpuUpload),
    ("Upload ", Kind::GpuUpload),
    ("CreateGraphicsPipeline", Kind::GpuShader),
    ("shader", Kind::GpuShader),
    ("cache_miss", Kind::GpuShader),
    ("VerifyClass", Kind::ArtClass),
    ("OpenDex", Kind::ArtClass),
    ("ResourcesManager#", Kind::ArtClass),
    ("JIT compiling", Kind::ArtJit),
    ("Recomposer:", Kind::UiCompose),
    ("Compose:", Kind::UiCompose),
    ("compose:", Kind::UiCompose),
    ("input", Kind::UiInput),
    ("deliverInputEvent", Kind::UiInput),
    ("animation", Kind::UiAnimation),
    ("insets_animation", Kind::UiAnimation),
];

/// The kind of work a slice's name tells, if it is one of the platform's names.
pub fn kind(name: &str) -> Option<Kind> {
    let told = BEGIN.iter().find(|(begin, _)| begins(name, begin)).map(|(_, kind)| *kind);
    told.or_else(|| (name.ends_with(" GC") || name == "GC").then_some(Kind::GcSelf))
}

/// Begins with this word, not with a longer one: `draw`, `draw()`, `draw: x`, never `drawer`.
fn begins(name: &str, begin: &str) -> bool {
    name.strip_prefix(begin).is_some_and(|rest| {
        let whole = begin.ends_with(|c: char| !c.is_ascii_lowercase());
        whole
            || !rest.starts_with(|c: char| c.is_ascii_alphabetic() && c.is_ascii_lowercase())
            || longer(begin)
    })
}

/// Beginnings of names that go on with anything.
fn longer(begin: &str) -> bool {
    matches!(begin, "shader" | "inflate" | "VerifyClass" | "OpenDex" | "decodeBitmap" | "ImageDecoder#decode")
}

/// A phase that every frame goes through, with everything in it that an app does there.
pub fn is_phase(kind: Kind) -> bool {
    matches!(kind, Kind::UiInput | Kind::UiAnimation | Kind::UiLayout | Kind::UiDraw)
}

/// A slice around others, or around a call, that tells nothing by itself.
pub fn is_frame(name: &str) -> bool {
    const FRAMES: [&str; 6] =
        ["Choreographer#", "DrawFrame", "traversal", "commit ", "composite ", "binder transaction"];
    FRAMES.iter().any(|frame| name.starts_with(frame))
}

/// A name without what changes from frame to frame: numbers of two digits and more, and what comes after `@`, are `#`;
/// cut to sixty characters.
pub fn folded(name: &str) -> String {
    let mut out = String::new();
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if out.len() >= 60 {
            out.push('…');
            break;
        }
        if c == '@' && chars.peek().is_some_and(char::is_ascii_hexdigit) {
            while chars.next_if(char::is_ascii_hexdigit).is_some() {}
            out.push_str("@#");
        } else if c.is_ascii_digit() {
            let mut digits = String::from(c);
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            out.push_str(if digits.len() > 1 { "#" } else { &digits });
        } else {
            out.push(c);
        }
    }
    out
}

/// A class and method without its package: `com.shop.ShopDb.flush` is `ShopDb.flush`.
pub fn short(method: &str) -> &str {
    let mut dots = method.rmatch_indices('.').map(|(at, _)| at);
    dots.nth(1).map_or(method, |at| &method[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_platform_are_kinds_and_those_of_apps_are_none() {
        for (name, expected) in [
            ("inflate", Some(Kind::UiInflate)),
            ("measure", Some(Kind::UiLayout)),
            ("draw", Some(Kind::UiDraw)),
            ("Record View#draw()", Some(Kind::UiDraw)),
            ("drawer opened", None),
            ("inputs", None),
            ("GC: Wait For Completion Alloc", Some(Kind::GcWait)),
            ("young concurrent copying GC", Some(Kind::GcSelf)),
            ("VerifyClass com.shop.Main", Some(Kind::ArtClass)),
            ("Upload 512x512 Texture", Some(Kind::GpuUpload)),
            ("shader_compile", Some(Kind::GpuShader)),
            ("loadFeed", None),
            ("traversal", None),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    #[test]
    fn what_changes_from_frame_to_frame_is_folded() {
        assert_eq!(folded("Handler: 1245184 #7 a@3f2b1c b"), "Handler: # #7 a@# b");
        assert_eq!(folded(&"x".repeat(90)).chars().count(), 61);
        assert_eq!(
            (short("com.shop.ShopDb.flush"), short("flush"), short("a.b")),
            ("ShopDb.flush", "flush", "a.b")
        );
    }
}
