//! `dumpsys input_method`: whether a keyboard is up (docs/design/phones.md#keyboard).

use super::{Scene, line};

/// Writes the answer.
pub fn input_method(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let lit = scene.sim.screen.awake && !scene.sim.screen.keyguard;
    // With a hardware keyboard the service counts as shown, and has no view.
    let up = lit && scene.sim.input.wants_keyboard();
    // From Android 16 on the view counts as shown after it was put away.
    let lingers = scene.archetype().sdk >= 36 && scene.sim.input.focused;
    let view = lit && (scene.sim.keyboard() || lingers) && !scene.sim.setup.input.hardware_keyboard;
    line!(out, "Current Input Method Manager state:");
    line!(out, "  Input Methods: mMethodMapUpdateCount=1");
    line!(out, "  mCurMethodId=com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME");
    line!(out, "  mShowRequested={up} mShowExplicitlyRequested=false mShowForced=false mInputShown={up}");
    line!(out);
    line!(out, "Input method service state:");
    line!(out, "  mDecorViewVisible={up} mDecorViewWasVisible={up} mInShowWindow=false");
    line!(out, "  mIsInputViewShown={view} mStatusIcon=0");
}
