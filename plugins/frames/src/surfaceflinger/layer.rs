//! Which layers of a list may show an app's frames, best guess first (docs/design/phones.md#layers).
//!
//! Names only tell who may receive buffers; whether a layer does is found out by asking for its frames. Must not know:
//! how to ask.

use crate::surfaceflinger::list::Listed;

/// Layers asked for frames at most.
pub const MOST_CANDIDATES: usize = 6;

/// What a layer's name says about it, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `SurfaceView[..]#n` without BLAST: a container from Android 12 on.
    ViewContainer,
    /// Names the package in a shape this program does not know: a layer the app made itself.
    Own,
    /// `pkg/act#n`: a window.
    Window,
    /// `SurfaceView - pkg/act#n`: a surface view up to Android 11.
    View,
    /// `SurfaceView[..](BLAST)#n`: a surface view from Android 12 on.
    BlastView,
}

/// A layer worth asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What the name says.
    pub kind: Kind,
}

/// The outcome of looking through a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// At most six layers, best first.
    pub candidates: Vec<Candidate>,
    /// Layers of the app that are not asked, and why.
    pub passed_over: Vec<(String, &'static str)>,
}

/// Layers that carry a window's name and never get its buffers: what their name contains or begins with, and why not.
const NOISE: [(&str, &str); 16] = [
    ("ActivityRecordInputSink ", "takes input, never gets buffers"),
    ("animation-leash of ", "moves during animations, never gets buffers"),
    ("ActivityRecord{", "a container of windows"),
    ("AppWindowToken{", "a container of windows"),
    ("WindowToken{", "a container of windows"),
    ("WindowStateAnimator{", "a container of windows"),
    ("Task=", "a container of windows"),
    ("Bounds for - ", "never gets buffers"),
    ("Background for ", "a plain colour behind a surface view"),
    ("Dim layer", "a plain colour"),
    ("Dim Layer", "a plain colour"),
    ("Letterbox - ", "a plain colour"),
    ("Splash Screen ", "the start picture, not the app"),
    ("Starting ", "the start picture, not the app"),
    ("Task snapshot", "a still picture of the app"),
    ("SnapshotStartingWindow ", "a still picture of the app"),
];

/// Picks the layers that may show the app's frames. `pin` replaces the package by a glob over layer names.
pub fn choose(layers: &[Listed], package: &str, pin: Option<&str>) -> Choice {
    let mut choice = Choice::default();
    for layer in layers {
        let wanted = match pin {
            Some(glob) => {
                pinned(glob, &layer.name).then_some(Ok(kind(&layer.name, package).unwrap_or(Kind::Own)))
            }
            None => belongs(&layer.name, package).then(|| kind(&layer.name, package)),
        };
        let Some(verdict) = wanted else { continue };
        if choice.candidates.iter().any(|known| known.name == layer.name) {
            continue; // Android 7: two layers may share a name, and one dump shows both.
        }
        match verdict {
            _ if layer.dying => choice.passed_over.push((layer.name.clone(), "is being destroyed")),
            Err(why) => choice.passed_over.push((layer.name.clone(), why)),
            Ok(kind) => choice.candidates.push(Candidate { name: layer.name.clone(), kind }),
        }
    }
    // From Android 13 on the number grows with every layer made: the newest of a kind is the likeliest to be alive.
    choice.candidates.sort_by_key(|candidate| std::cmp::Reverse((candidate.kind, number(&candidate.name))));
    let rest = choice.candidates.drain(choice.candidates.len().min(MOST_CANDIDATES)..);
    choice.passed_over.extend(rest.map(|left| (left.name, "six likelier layers are asked instead")));
    choice
}

/// Whether a layer's name names the package: `pkg/` or, in the tag of a surface view, the package alone. `com.foo` is
/// neither in `com.foo.bar/…` nor in `org.com.foo/…`.
pub fn belongs(name: &str, package: &str) -> bool {
    if package.is_empty() {
        return false;
    }
    let in_view = name.starts_with("SurfaceView");
    name.match_indices(package).any(|(at, _)| {
        let before = name[..at].chars().next_back();
        let after = name[at + package.len()..].chars().next();
        let free =
            !before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '/'));
        let splash = name[..at].ends_with("Splash Screen ");
        free && match after {
            Some('/') => true,
            Some(letter) => (in_view || splash) && !letter.is_alphanumeric() && !matches!(letter, '.' | '_'),
            None => in_view || splash,
        }
    })
}

fn kind(name: &str, package: &str) -> Result<Kind, &'static str> {
    if let Some((_, why)) = NOISE.iter().find(|(text, _)| name.contains(text)) {
        return Err(why);
    }
    if name.starts_with("SurfaceView") {
        return Ok(match () {
            () if name.contains("(BLAST)") => Kind::BlastView,
            () if name.starts_with("SurfaceView - ") => Kind::View,
            () => Kind::ViewContainer,
        });
    }
    if name.strip_prefix(package).is_some_and(|rest| rest.starts_with('/')) {
        return Ok(Kind::Window);
    }
    // `<hash> pkg/act#n`: from Android 12 on the container of a window, whose child gets the buffers.
    if let Some((hash, _)) = name.split_once(' ')
        && !hash.is_empty()
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Err("the container of a window");
    }
    Ok(Kind::Own)
}

/// The number behind the last `#`, or zero.
fn number(name: &str) -> u64 {
    name.rsplit_once('#').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0)
}

/// Whether a glob (`*` any text, `?` one character) matches a layer name. A glob without `#` also matches without the
/// number, which changes with every start of the app.
pub fn pinned(glob: &str, name: &str) -> bool {
    let numberless =
        name.rsplit_once('#').filter(|(_, digits)| digits.bytes().all(|byte| byte.is_ascii_digit()));
    glob_matches(glob, name)
        || (!glob.contains('#') && numberless.is_some_and(|(base, _)| glob_matches(glob, base)))
}

fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let mut g = 0;
    let mut n = 0;
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                retry = Some((g + 1, n));
                g += 1;
            }
            Some(&letter) if letter == '?' || letter == name[n] => {
                g += 1;
                n += 1;
            }
            _ => {
                let Some((star, eaten)) = retry else { return false };
                retry = Some((star, eaten + 1));
                g = star;
                n = eaten + 1;
            }
        }
    }
    glob[g..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(names: &[&str]) -> Vec<Listed> {
        names.iter().map(|name| Listed { name: (*name).to_owned(), dying: false }).collect()
    }

    fn chosen(names: &[&str], pin: Option<&str>) -> Vec<String> {
        choose(&layers(names), "com.foo", pin)
            .candidates
            .into_iter()
            .map(|candidate| candidate.name)
            .collect()
    }

    #[test]
    fn a_package_is_not_found_inside_another() {
        for (name, mine) in [
            ("com.foo/com.foo.Main#1", true),
            ("SurfaceView[com.foo/com.foo.Main](BLAST)#1", true),
            ("SurfaceView[com.foo](BLAST)#1", true),
            ("SurfaceView - com.foo/com.foo.Main@8f8aa11@0#0", true),
            ("com.foo.bar/com.foo.Main#1", false),
            ("com.foo2/Main#1", false),
            ("org.com.foo/Main#1", false),
            ("xcom.foo/Main#1", false),
            ("SurfaceView[com.foo.bar/com.foo.Main]#1", false),
            ("com.bar/com.foo#1", false),
            ("com.foo#1", false),
        ] {
            assert_eq!(belongs(name, "com.foo"), mine, "{name}");
        }
    }

    #[test]
    fn noise_is_passed_over_with_a_reason() {
        let noise = [
            "ActivityRecord{5e6ac22 u0 com.foo/com.foo.Main t329}#28983",
            "ff5d6b3 ActivityRecordInputSink com.foo/com.foo.Main#28994",
            "54dfae7 com.foo/com.foo.Main#28989",
            "Bounds for - com.foo/com.foo.Main#3",
            "Background for SurfaceView[com.foo/com.foo.Main]#4",
            "Background for - SurfaceView - com.foo/com.foo.Main#0",
            "Surface(name=54dfae7 com.foo/com.foo.Main)/@0x1 - animation-leash of starting_reveal#5",
            "Splash Screen com.foo#6",
        ];
        let choice = choose(&layers(&noise), "com.foo", None);
        assert_eq!(choice.candidates, []);
        assert_eq!(choice.passed_over.len(), noise.len());
        let dying = [Listed { name: "com.foo/com.foo.Main#1".into(), dying: true }];
        assert_eq!(choose(&dying, "com.foo", None).passed_over[0].1, "is being destroyed");
    }

    #[test]
    fn surface_views_come_before_windows_before_containers_and_new_before_old() {
        let names = [
            "SurfaceView[com.foo/com.foo.Main]#10",
            "com.foo/com.foo.Main#8",
            "com.foo/com.foo.Dialog#12",
            "MyOwn com.foo/x#99",
            "SurfaceView[com.foo/com.foo.Main]@0(BLAST)#11",
        ];
        let expected = [
            "SurfaceView[com.foo/com.foo.Main]@0(BLAST)#11",
            "com.foo/com.foo.Dialog#12",
            "com.foo/com.foo.Main#8",
            "MyOwn com.foo/x#99",
            "SurfaceView[com.foo/com.foo.Main]#10",
        ];
        assert_eq!(chosen(&names, None), expected);
    }

    #[test]
    fn six_are_asked_and_twins_only_once() {
        let names: Vec<String> = (0..9).map(|number| format!("com.foo/com.foo.Main#{number}")).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.push("com.foo/com.foo.Main#8");
        let choice = choose(&layers(&names), "com.foo", None);
        assert_eq!(choice.candidates.len(), 6);
        assert_eq!(choice.candidates[0].name, "com.foo/com.foo.Main#8");
        assert_eq!(choice.passed_over.len(), 3);
    }

    #[test]
    fn a_pin_takes_what_it_names_and_nothing_else() {
        let names = ["com.foo/com.foo.Main#8", "PopupWindow:1a2b#9", "54dfae7 com.foo/com.foo.Main#7"];
        assert_eq!(chosen(&names, Some("PopupWindow:*")), ["PopupWindow:1a2b#9"]);
        assert_eq!(chosen(&names, Some("com.foo/com.foo.Main")), ["com.foo/com.foo.Main#8"]);
        assert_eq!(chosen(&names, Some("com.foo/*#8")), ["com.foo/com.foo.Main#8"]);
        assert_eq!(chosen(&names, Some("* com.foo/*#?")), ["54dfae7 com.foo/com.foo.Main#7"]);
        assert_eq!(chosen(&names, Some("com.fo")), Vec::<String>::new());
        assert!(glob_matches("a*b*c", "a__b__b_c") && !glob_matches("a*b", "acb_") && glob_matches("**", ""));
    }
}
