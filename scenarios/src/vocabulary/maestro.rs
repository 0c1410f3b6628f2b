//! Maestro's words that farmjank knows and does not run, with what to use instead. A step is refused, never skipped.

/// Maestro's commands that farmjank does not run, and what to use instead where something fits.
pub(crate) const NOT_RUN: &[(&str, &str)] = &[
    ("addMedia", "push files before the run, or use `shell`"),
    ("assertNoDefectsWithAI", ""),
    ("assertScreenshot", ""),
    ("assertWithAI", "use `assertVisible`"),
    ("extractTextWithAI", ""),
    ("pinch", ""),
    ("setAirplaneMode", "use `shell: cmd connectivity airplane-mode enable`"),
    ("setLocation", "use `shell`"),
    ("setOrientation", "use `shell: settings put system user_rotation 1`"),
    ("startRecording", "recording disturbs what is measured; remove it"),
    ("stopRecording", "recording disturbs what is measured; remove it"),
    ("toggleAirplaneMode", "use `shell: cmd connectivity airplane-mode enable`"),
    ("travel", "use `shell`"),
];

/// Maestro's keys that farmjank does not act on and that matter: command, key, what to use instead.
pub(crate) const KEYS_NOT_RUN: &[(&str, &str, &str)] = &[
    ("tapOn", "css", "use `text` or `id`: pages in a web view are read as Android tells them"),
    ("tapOn", "traits", "use `id` or `text`"),
    ("tapOn", "displayId", "farmjank measures the phone's own screen"),
    ("assertVisible", "css", "use `text` or `id`: pages in a web view are read as Android tells them"),
    ("header", "url", "use `appId`"),
];

/// Keys that change nothing here, taken with a notice: command, key, why.
pub const KEYS_NOTED: &[(&str, &str, &str)] = &[
    ("header", "androidWebViewHierarchy", "web pages are read as Android's accessibility tells them"),
    ("header", "jsEngine", "scripts run in QuickJS, which knows ECMAScript 2023"),
    ("launchApp", "clearKeychain", "keychains are for iOS"),
    ("openLink", "autoVerify", "links open in the app under test"),
    ("openLink", "browser", "links open in the app under test"),
    ("swipe", "waitToSettleTimeoutMs", SETTLES),
    ("scrollUntilVisible", "waitToSettleTimeoutMs", SETTLES),
    ("scrollUntilVisible", "visibilityPercentage", "any visible part counts"),
    ("scrollUntilVisible", "centerElement", "it stops when any part is visible"),
    ("tapOn", "waitToSettleTimeoutMs", SETTLES),
    ("doubleTapOn", "waitToSettleTimeoutMs", SETTLES),
    ("longPressOn", "waitToSettleTimeoutMs", SETTLES),
];

const SETTLES: &str =
    "the next look at the screen waits until it is still; `waitForAnimationToEnd` waits by itself";

/// Commands that change nothing on an Android phone, taken with a notice.
pub(crate) const NOTED: &[(&str, &str)] = &[("clearKeychain", "keychains are for iOS")];
