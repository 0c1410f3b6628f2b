//! `dumpsys input_method`: whether a keyboard is up (docs/design/phones.md#keyboard).

use super::{Scene, line};

/// Writes the answer.
pub fn input_method(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let up = scene.sim.screen.awake && !scene.sim.screen.keyguard && scene.sim.input.keyboard();
    line!(out, "Current Input Method Manager state:");
    line!(out, "  Input Methods: mMethodMapUpdateCount=1");
    line!(out, "  mCurMethodId=com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME");
    line!(out, "  mShowRequested={up} mShowExplicitlyRequested=false mShowForced=false mInputShown={up}");
    line!(out);
    line!(out, "Input method service state:");
    line!(out, "  mDecorViewVisible={up} mDecorViewWasVisible={up} mInShowWindow=false");
    line!(out, "  mIsInputViewShown={up} mStatusIcon=0");
}
