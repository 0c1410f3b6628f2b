//! A build of an app, for the lab: a small text that says which app it is and how its pages differ from the one a phone
//! has.
//!
//! ```yaml
//! #!farmjank-lab-apk
//! id: com.example.shop
//! version: 7.5.0
//! pages: { search: { hitch_rate: 0.08 } }
//! ```
//!
//! What it does not say is as in the app the phone came with, so one text means the same on every phone. Must not know
//! when it is installed nor what the phone says to that.

use crate::app::{App, shop};
use crate::lab_error::LabError;
use crate::spec::{AppSpec, StallSpec};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What such a text begins with.
pub const MAGIC: &str = "#!farmjank-lab-apk";

/// A build as written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Apk {
    /// Package name.
    pub id: String,
    /// `versionName`.
    pub version: String,
    /// `versionCode`; else the digits of the version.
    pub version_code: Option<u32>,
    /// Who signed it.
    #[serde(default = "signer")]
    pub signer: String,
    /// A debuggable build: an older one may take its place.
    #[serde(default)]
    pub debuggable: bool,
    /// Time to the first frame of a cold start on the reference phone, ms.
    pub cold_ms: Option<f64>,
    /// The same with the process alive, ms.
    pub warm_ms: Option<f64>,
    /// What is different on pages.
    #[serde(default)]
    pub pages: BTreeMap<String, PageChange>,
}

/// What is different on a page. Units as in [`crate::spec::PageSpec`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageChange {
    /// Mean cost of a frame, ms.
    pub cost_ms: Option<f64>,
    /// Spread of that cost, as a share of it.
    pub spread: Option<f64>,
    /// Chance that a frame hitches.
    pub hitch_rate: Option<f64>,
    /// Tail of the hitch length.
    pub hitch_tail: Option<f64>,
    /// Chance that a frame freezes.
    pub frozen_rate: Option<f64>,
    /// Periodic work on the main thread.
    pub stall: Option<StallSpec>,
}

fn signer() -> String {
    AppSpec::default().signer
}

impl Apk {
    /// Reads one; nothing of what does not begin like one is read.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Apk, LabError> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.starts_with(MAGIC));
        let text = text.ok_or_else(|| LabError("it is no build for the lab".to_owned()))?;
        serde_saphyr::from_str(text).map_err(|error| LabError(error.to_string()))
    }

    /// The app it makes of the one a phone came with, if it came with one.
    pub fn app(&self, factory: Option<&AppSpec>) -> Result<App, LabError> {
        let mut spec = factory.cloned().unwrap_or_else(|| AppSpec { id: self.id.clone(), ..shop() });
        if spec.pages.is_empty() {
            spec.pages = shop().pages;
        }
        for (name, change) in &self.pages {
            let page = spec.pages.get_mut(name).ok_or_else(|| format!("it has no page `{name}`"))?;
            let set = |own: &mut f64, other: Option<f64>| *own = other.unwrap_or(*own);
            set(&mut page.cost_ms, change.cost_ms);
            set(&mut page.spread, change.spread);
            set(&mut page.hitch_rate, change.hitch_rate);
            set(&mut page.hitch_tail, change.hitch_tail);
            set(&mut page.frozen_rate, change.frozen_rate);
            page.stall = change.stall.or(page.stall);
        }
        spec.cold_ms = self.cold_ms.unwrap_or(spec.cold_ms);
        spec.warm_ms = self.warm_ms.unwrap_or(spec.warm_ms);
        (spec.version, spec.version_code) = (self.version.clone(), self.version_code);
        (spec.signer, spec.debuggable) = (self.signer.clone(), self.debuggable);
        App::new(&spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(text: &str) -> Result<App, LabError> {
        Apk::read(format!("{MAGIC}\n{text}").as_bytes())?.app(Some(&shop()))
    }

    #[test]
    fn a_build_is_the_app_a_phone_came_with_but_for_what_it_says() {
        let app =
            built("id: com.example.shop\nversion: 7.5.0\npages: { search: { hitch_rate: 0.5 } }\n").unwrap();
        let (own, factory) = (&app.spec, App::new(&shop()).unwrap().spec);
        assert_eq!((own.version.as_str(), own.version_code()), ("7.5.0", 750));
        assert_eq!(own.pages["search"].hitch_rate, 0.5);
        assert_eq!(own.pages["feed"], factory.pages["feed"]);
    }

    #[test]
    fn what_is_no_build_is_refused_in_words() {
        assert!(Apk::read(b"PK\x03\x04").is_err() && Apk::read(b"id: com.a").is_err());
        assert!(built("id: com.example.shop\n").unwrap_err().0.contains("version"));
        assert!(built("id: com.example.shop\nversion: '1'\nspeed: 3\n").unwrap_err().0.contains("speed"));
        let page = built("id: com.example.shop\nversion: '1'\npages: { basket: { spread: 1 } }\n");
        assert_eq!(page.unwrap_err().0, "it has no page `basket`");
    }
}
