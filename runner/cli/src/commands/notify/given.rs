//! What the environment says to nobody else.

use super::not_told::NotTold;
use crate::host::{self, keep_secret};
use farmjank_leaf::mask::Mask;

/// What a variable says, blacked out from here on.
///
/// # Errors
/// It cannot be blacked out.
pub fn given(variable: &str) -> Result<Option<String>, NotTold> {
    let text = host::env(variable).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(None) };
    let mask = Mask::default().and(&text).map_err(|why| NotTold::Common(variable.to_owned(), why))?;
    keep_secret(&mask);
    Ok(Some(text))
}
