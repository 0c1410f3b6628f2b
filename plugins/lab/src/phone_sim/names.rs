//! Names of layers per Android version (docs/design/phones.md#layers).
//!
//! Must not know frames.

/// What a window's layer names are made of.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Android API level.
    pub sdk: u32,
    /// Hash of the window.
    pub hash: u32,
    /// Task number.
    pub task: u32,
}

impl Names {
    /// Containers around a window from the outside in, without suffix. `title` is `pkg/full.Class`, `short`
    /// `pkg/.Class`.
    pub(crate) fn containers(&self, title: &str, short: &str) -> Vec<String> {
        let Names { sdk, hash, task } = *self;
        let record = hash ^ 0x002a_51c3;
        match sdk {
            ..=25 => vec![],
            26..=30 => vec![
                format!("Task={task}"),
                format!(
                    "AppWindowToken{{{record:07x} token=Token{{{:07x} ActivityRecord{{{:07x} u0 {short} t{task}}}}}}}",
                    hash ^ 0x15,
                    hash ^ 0x77
                ),
            ],
            31..=32 => vec![
                format!("Task={task}"),
                format!("ActivityRecord{{{record:07x} u0 {short} t{task}}}"),
                format!("{hash:07x} {title}"),
            ],
            _ => vec![
                format!("Task={task}"),
                format!("ActivityRecord{{{record:07x} u0 {short} t{task}}}"),
                format!("{:07x} ActivityRecordInputSink {short}", hash ^ 0x0051_7171),
                format!("{hash:07x} {title}"),
            ],
        }
    }

    /// Layers of a SurfaceView: those without buffers, and the one that gets them.
    pub fn surface_view(&self, title: &str) -> (Vec<String>, String) {
        if self.sdk <= 30 {
            let name = format!("SurfaceView - {title}");
            return (if self.sdk >= 26 { vec![format!("Background for - {name}")] } else { vec![] }, name);
        }
        let name = format!("SurfaceView[{title}]");
        let around = vec![format!("Bounds for - {title}"), format!("Background for {name}"), name.clone()];
        (around, format!("{name}(BLAST)"))
    }
}

/// The full name: none on 7, a free duplicate number on 8 to 12, the layer's number from 13 on.
pub(crate) fn suffixed(sdk: u32, name: &str, id: u32, taken: impl Fn(&str) -> bool) -> String {
    match sdk {
        ..=25 => name.to_owned(),
        26..=32 => {
            (0..).map(|number| format!("{name}#{number}")).find(|full| !taken(full)).unwrap_or_default()
        }
        _ => format!("{name}#{id}"),
    }
}

/// Layers every phone has: name and whether an app's windows lie above it.
pub fn system(sdk: u32) -> Vec<(&'static str, bool)> {
    let mut names = vec![("com.android.systemui.ImageWallpaper", true)];
    match sdk {
        ..=25 => names.extend([
            ("com.android.launcher3/com.android.launcher3.Launcher", true),
            ("StatusBar", false),
            ("NavigationBar", false),
            ("DimLayer", false),
        ]),
        26..=30 => names.extend([
            ("Stack=0", true),
            ("com.android.launcher3/com.android.launcher3.Launcher", true),
            ("StatusBar", false),
            ("NavigationBar0", false),
            ("InputMethod", false),
        ]),
        _ => names.extend([
            ("DefaultTaskDisplayArea", true),
            ("com.android.launcher3/com.android.launcher3.Launcher", true),
            ("StatusBar", false),
            ("NotificationShade", false),
            ("NavigationBar0", false),
            ("InputMethod", false),
            ("ScreenDecorOverlay", false),
        ]),
    }
    names
}

/// Whether a layer of the system lies below the windows of apps.
pub(crate) fn below_apps(sdk: u32, name: &str) -> bool {
    system(sdk).iter().any(|(system, below)| *below && name.starts_with(system))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_follow_the_release() {
        assert_eq!(suffixed(24, "a/b", 7, |_| true), "a/b");
        assert_eq!(suffixed(29, "a/b", 7, |name| name == "a/b#0"), "a/b#1");
        assert_eq!(suffixed(34, "a/b", 7, |_| true), "a/b#7");
    }

    #[test]
    fn surface_views_are_named_by_release() {
        let names = |sdk| Names { sdk, hash: 1, task: 1 }.surface_view("p/p.A").1;
        assert_eq!(
            (names(29).as_str(), names(33).as_str()),
            ("SurfaceView - p/p.A", "SurfaceView[p/p.A](BLAST)")
        );
    }
}
