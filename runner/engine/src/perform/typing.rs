//! Keys, text and the keyboard.

use super::{Scene, Stamps, nested};
use crate::android::{gesture, keyboard};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::step::Action;
use farmjank_seams::quote::quote;

/// Who types on a phone.
pub(super) struct Keyboard<'s>(pub(super) &'s Scene<'s>);

impl Keyboard<'_> {
    pub(super) async fn carry_out(&self, action: &Action) -> Result<Stamps, Fault> {
        match action {
            Action::PressKey(key) => self.press(key).await,
            Action::Back => self.press("BACK").await,
            Action::HideKeyboard => self.hide_keyboard().await,
            Action::InputText(text) => self.type_text(&self.0.flow.text(self.0.session, text).await?).await,
            Action::InputRandom(what) => self.type_text(&self.0.flow.random(*what)).await,
            Action::PasteText => self.paste().await,
            Action::EraseText(count) => self.erase(*count).await,
            _ => Err(nested()),
        }
    }

    async fn input(&self, words: &str) -> Result<Stamps, Fault> {
        let (device, patience) = (&*self.0.session.device, self.0.session.patience().launch);
        let stamped = gesture::stamped(device, &format!("input {words}"), patience).await?;
        Ok(Some(self.0.on_device(stamped)))
    }

    async fn press(&self, key: &str) -> Result<Stamps, Fault> {
        match key {
            "BACK" => self.input("keyevent KEYCODE_BACK").await,
            key => self.input(&format!("keyevent {}", quote(&keycode(key)))).await,
        }
    }

    async fn type_text(&self, text: &str) -> Result<Stamps, Fault> {
        self.input(&format!("text {}", quote(&text.replace(' ', "%s")))).await
    }

    /// Types what was copied.
    async fn paste(&self) -> Result<Stamps, Fault> {
        match self.0.flow.copied() {
            Some(text) => self.type_text(&text).await,
            None => {
                let what = "nothing was copied that could be pasted";
                Err(Fault::new(FaultCode::ElementMissing, what).advise("put a `copyTextFrom` before it"))
            }
        }
    }

    async fn erase(&self, count: u32) -> Result<Stamps, Fault> {
        self.input(&format!("keyevent{}", " KEYCODE_DEL".repeat(count as usize))).await
    }

    /// The back key hides a keyboard that is up; where none is, it would leave the page.
    async fn hide_keyboard(&self) -> Result<Stamps, Fault> {
        match keyboard::is_up(&*self.0.session.device, self.0.session.patience().dump).await? {
            true => self.press("BACK").await,
            false => Ok(None),
        }
    }
}

fn keycode(key: &str) -> String {
    let key = key.trim().to_ascii_uppercase().replace(' ', "_");
    if key.starts_with("KEYCODE_") || key.bytes().all(|byte| byte.is_ascii_digit()) {
        key
    } else {
        format!("KEYCODE_{key}")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_spelled_as_android_does() {
        assert_eq!(super::keycode("home"), "KEYCODE_HOME");
        assert_eq!(super::keycode("volume up"), "KEYCODE_VOLUME_UP");
        assert_eq!(super::keycode("KEYCODE_TAB"), "KEYCODE_TAB");
        assert_eq!(super::keycode("66"), "66");
    }
}
