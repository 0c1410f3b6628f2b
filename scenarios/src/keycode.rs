//! Names of keys: Android's key codes and Maestro's spellings of them.

/// Maestro's names that are not simply Android's with spaces.
const MAESTRO: &[(&str, &str)] = &[
    ("BACKSPACE", "DEL"),
    ("LOCK", "POWER"),
    ("REMOTE_DPAD_UP", "DPAD_UP"),
    ("REMOTE_DPAD_DOWN", "DPAD_DOWN"),
    ("REMOTE_DPAD_LEFT", "DPAD_LEFT"),
    ("REMOTE_DPAD_RIGHT", "DPAD_RIGHT"),
    ("REMOTE_DPAD_CENTER", "DPAD_CENTER"),
    ("REMOTE_MEDIA_PLAY_PAUSE", "MEDIA_PLAY_PAUSE"),
    ("REMOTE_MEDIA_STOP", "MEDIA_STOP"),
    ("REMOTE_MEDIA_NEXT", "MEDIA_NEXT"),
    ("REMOTE_MEDIA_PREVIOUS", "MEDIA_PREVIOUS"),
    ("REMOTE_MEDIA_REWIND", "MEDIA_REWIND"),
    ("REMOTE_MEDIA_FAST_FORWARD", "MEDIA_FAST_FORWARD"),
    ("DELETE", "FORWARD_DEL"),
    ("RECENTS", "APP_SWITCH"),
];

/// Android's key codes a scenario is likely to press, without `KEYCODE_`.
const ANDROID: &[&str] = &[
    "APP_SWITCH",
    "ASSIST",
    "BACK",
    "BRIGHTNESS_DOWN",
    "BRIGHTNESS_UP",
    "CALL",
    "CAMERA",
    "CLEAR",
    "COMMA",
    "DEL",
    "DPAD_CENTER",
    "DPAD_DOWN",
    "DPAD_LEFT",
    "DPAD_RIGHT",
    "DPAD_UP",
    "ENDCALL",
    "ENTER",
    "ESCAPE",
    "EXPLORER",
    "FORWARD_DEL",
    "HEADSETHOOK",
    "HOME",
    "INSERT",
    "MEDIA_FAST_FORWARD",
    "MEDIA_NEXT",
    "MEDIA_PAUSE",
    "MEDIA_PLAY",
    "MEDIA_PLAY_PAUSE",
    "MEDIA_PREVIOUS",
    "MEDIA_REWIND",
    "MEDIA_STOP",
    "MENU",
    "MINUS",
    "MOVE_END",
    "MOVE_HOME",
    "MUTE",
    "NOTIFICATION",
    "PAGE_DOWN",
    "PAGE_UP",
    "PERIOD",
    "PLUS",
    "POWER",
    "SEARCH",
    "SETTINGS",
    "SLASH",
    "SLEEP",
    "SOFT_SLEEP",
    "SPACE",
    "TAB",
    "VOLUME_DOWN",
    "VOLUME_MUTE",
    "VOLUME_UP",
    "WAKEUP",
];

/// The key's Android name without `KEYCODE_`. Case, spaces and Maestro's names are understood; a name that begins with
/// `KEYCODE_` is taken as it is. `Err` holds the nearest known name, if one is near.
pub(crate) fn keycode(name: &str) -> Result<String, Option<&'static str>> {
    let plain = name.trim().to_ascii_uppercase().replace([' ', '-'], "_");
    if let Some(spelled_out) = plain.strip_prefix("KEYCODE_") {
        let sound =
            !spelled_out.is_empty() && spelled_out.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        return if sound { Ok(spelled_out.to_owned()) } else { Err(None) };
    }
    if let Some((_, android)) = MAESTRO.iter().find(|(maestro, _)| *maestro == plain) {
        return Ok((*android).to_owned());
    }
    let single = plain.len() == 1 && plain.chars().all(|c| c.is_ascii_alphanumeric());
    if single || ANDROID.contains(&plain.as_str()) {
        return Ok(plain);
    }
    Err(farmjank_leaf::nearest::nearest(&plain, ANDROID.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_key() {
        assert_eq!(keycode("HOME").as_deref(), Ok("HOME"));
        assert_eq!(keycode("Volume Up").as_deref(), Ok("VOLUME_UP"));
        assert_eq!(keycode("Remote Dpad Up").as_deref(), Ok("DPAD_UP"));
        assert_eq!(keycode("backspace").as_deref(), Ok("DEL"));
        assert_eq!(keycode("KEYCODE_F7").as_deref(), Ok("F7"));
        assert_eq!(keycode("a").as_deref(), Ok("A"));
        assert_eq!(keycode("HOMR"), Err(Some("HOME")));
        assert_eq!(keycode("KEYCODE_; reboot"), Err(None));
    }
}
