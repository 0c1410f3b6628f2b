//! Key names of `input keyevent`.

/// The code of a key: a number, `KEYCODE_NAME` or `NAME`.
pub fn code(word: &str) -> Option<u32> {
    if let Ok(code) = word.parse::<u32>() {
        return (code <= 400).then_some(code);
    }
    let name = word.strip_prefix("KEYCODE_").unwrap_or(word);
    if let [letter @ b'A'..=b'Z'] = name.as_bytes() {
        return Some(29 + u32::from(letter - b'A'));
    }
    if let [digit @ b'0'..=b'9'] = name.as_bytes() {
        return Some(7 + u32::from(digit - b'0'));
    }
    NAMES.iter().find(|(other, _)| *other == name).map(|(_, code)| *code)
}

const NAMES: &[(&str, u32)] = &[
    ("UNKNOWN", 0),
    ("HOME", 3),
    ("BACK", 4),
    ("CALL", 5),
    ("ENDCALL", 6),
    ("DPAD_UP", 19),
    ("DPAD_DOWN", 20),
    ("DPAD_LEFT", 21),
    ("DPAD_RIGHT", 22),
    ("DPAD_CENTER", 23),
    ("VOLUME_UP", 24),
    ("VOLUME_DOWN", 25),
    ("POWER", 26),
    ("CAMERA", 27),
    ("COMMA", 55),
    ("PERIOD", 56),
    ("TAB", 61),
    ("SPACE", 62),
    ("ENTER", 66),
    ("DEL", 67),
    ("MENU", 82),
    ("NOTIFICATION", 83),
    ("SEARCH", 84),
    ("MEDIA_PLAY_PAUSE", 85),
    ("PAGE_UP", 92),
    ("PAGE_DOWN", 93),
    ("ESCAPE", 111),
    ("FORWARD_DEL", 112),
    ("MOVE_HOME", 122),
    ("MOVE_END", 123),
    ("APP_SWITCH", 187),
    ("ASSIST", 219),
    ("BRIGHTNESS_DOWN", 220),
    ("BRIGHTNESS_UP", 221),
    ("SLEEP", 223),
    ("WAKEUP", 224),
];

#[cfg(test)]
mod tests {
    #[test]
    fn names_and_numbers_are_keys() {
        let code = super::code;
        assert_eq!(
            [code("KEYCODE_HOME"), code("4"), code("A"), code("KEYCODE_9")],
            [Some(3), Some(4), Some(29), Some(16)]
        );
        assert_eq!(code("KEYCODE_NONSENSE"), None);
    }
}
