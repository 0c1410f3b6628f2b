//! An installed app: its pages, which activity or link opens which, and what is on the screen of a page.
//!
//! Coordinates in px. Must not know frames, time or text formats.

use crate::lab_error::LabError;
use crate::spec::{AppSpec, PageKind, PageSpec};
use std::collections::BTreeMap;

/// A page with its names resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Name in the lab file.
    pub name: String,
    /// Full class name of its activity.
    pub class: String,
    /// How it draws.
    pub spec: PageSpec,
}

/// An installed app.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// As described.
    pub spec: AppSpec,
    /// Pages by index.
    pub pages: Vec<Page>,
    /// How often it was installed since the lab began, and when last (CLOCK_MONOTONIC, ns); none: it came with the
    /// phone.
    pub put: Option<(u32, i64)>,
    /// It was uninstalled.
    pub absent: bool,
}

/// The package of the phone's own settings.
pub const SETTINGS: &str = "com.android.settings";

/// What is installed: the apps a lab names, else the shop; and the phone's own settings, a list that scrolls.
pub fn installed(named: &[AppSpec]) -> Vec<AppSpec> {
    let mut apps = if named.is_empty() { vec![shop()] } else { named.to_vec() };
    if !apps.iter().any(|app| app.id == SETTINGS) {
        let list = PageSpec {
            activity: ".Settings".into(),
            exported: true,
            items: 60,
            item_text: "Setting {}".into(),
            hitch_rate: 0.002,
            ..PageSpec::default()
        };
        let pages = BTreeMap::from([("main".to_owned(), list)]);
        apps.push(AppSpec { id: SETTINGS.into(), pages, signer: "platform".into(), ..AppSpec::default() });
    }
    apps
}

/// The shop everyone has unless a lab names other apps.
pub fn shop() -> AppSpec {
    let page = |activity: &str, link: &str| PageSpec {
        activity: activity.into(),
        link: (!link.is_empty()).then(|| link.to_owned()),
        ..PageSpec::default()
    };
    let pages = BTreeMap::from([
        (
            "main".to_owned(),
            PageSpec {
                launcher: true,
                items: 300,
                item_text: "Offer {}".into(),
                opens: Some("product".into()),
                ..page(".MainActivity", "shop://home")
            },
        ),
        (
            "feed".to_owned(),
            PageSpec {
                item_text: "Item {}".into(),
                opens: Some("product".into()),
                ..page(".FeedActivity", "shop://feed")
            },
        ),
        (
            "search".to_owned(),
            PageSpec {
                item_text: "Result {}".into(),
                hitch_rate: 0.0042,
                ..page(".SearchActivity", "shop://search")
            },
        ),
        (
            "product".to_owned(),
            PageSpec {
                item_text: "Review {}".into(),
                hitch_rate: 0.0135,
                cost_ms: 4.8,
                spread: 0.2,
                ..page(".ProductActivity", "shop://product")
            },
        ),
        (
            "video".to_owned(),
            PageSpec { kind: PageKind::Video, fps: 30.0, items: 0, ..page(".VideoActivity", "shop://video") },
        ),
    ]);
    AppSpec { pages, ..AppSpec::default() }
}

impl App {
    /// Resolves an app.
    ///
    /// # Errors
    /// What is wrong with its description.
    pub fn new(spec: &AppSpec) -> Result<App, LabError> {
        let mut spec = spec.clone();
        if spec.pages.is_empty() {
            spec.pages = shop().pages;
        }
        let valid = |id: &str| {
            id.contains('.')
                && id.chars().all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter))
        };
        if !valid(&spec.id) {
            return Err(LabError(format!("`{}` is not a package name", spec.id)));
        }
        let mut pages = Vec::new();
        for (name, page) in &spec.pages {
            let full = full_class(&spec.id, &page.activity);
            if full.is_empty() || page.activity.contains([' ', '/', '\n']) {
                return Err(LabError(format!(
                    "page `{name}` of `{}` needs an activity such as `.FeedActivity`",
                    spec.id
                )));
            }
            if let Some(target) = &page.opens
                && !spec.pages.contains_key(target)
            {
                return Err(LabError(format!(
                    "page `{name}` of `{}` opens `{target}`, which it does not have",
                    spec.id
                )));
            }
            if matches!(page.kind, PageKind::Video | PageKind::Game) && !(1.0..=240.0).contains(&page.fps) {
                return Err(LabError(format!("page `{name}` of `{}` needs an fps of 1 to 240", spec.id)));
            }
            if let Some(pace) = &page.pace {
                let scrolls = matches!(page.kind, PageKind::List | PageKind::SurfaceView | PageKind::Flutter);
                let wrong = pace.complaint().or((!scrolls).then_some("a kind that scrolls"));
                if let Some(wrong) = wrong {
                    return Err(LabError(format!(
                        "the pace of page `{name}` of `{}` needs {wrong}",
                        spec.id
                    )));
                }
            }
            pages.push(Page { name: name.clone(), class: full, spec: page.clone() });
        }
        Ok(App { spec, pages, put: None, absent: false })
    }

    /// Package name.
    pub fn id(&self) -> &str {
        &self.spec.id
    }

    /// The page the launcher opens.
    pub fn launcher(&self) -> Option<usize> {
        self.pages.iter().position(|page| page.spec.launcher)
    }

    /// The page of an activity, named `.Short` or in full.
    pub(crate) fn by_class(&self, class: &str) -> Option<usize> {
        let full = full_class(self.id(), class);
        self.pages.iter().position(|page| page.class == full)
    }

    /// The page that handles a link: its own link, or one below it.
    pub(crate) fn by_link(&self, link: &str) -> Option<usize> {
        let matches = |own: &str| {
            link.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
        };
        let longest = |page: &usize| self.pages[*page].spec.link.as_ref().map_or(0, String::len);
        (0..self.pages.len())
            .filter(|page| self.pages[*page].spec.link.as_deref().is_some_and(matches))
            .max_by_key(longest)
    }

    /// The page of that name.
    pub fn by_name(&self, name: &str) -> Option<usize> {
        self.pages.iter().position(|page| page.name == name)
    }

    /// `package/.Short`, as activity records print it.
    pub fn short(&self, page: usize) -> String {
        let class = &self.pages[page].class;
        format!("{}/{}", self.id(), class.strip_prefix(self.id()).unwrap_or(class))
    }

    /// `package/full.Class`, as window titles print it.
    pub fn title(&self, page: usize) -> String {
        format!("{}/{}", self.id(), self.pages[page].class)
    }
}

fn full_class(package: &str, class: &str) -> String {
    if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_open_the_page_they_belong_to() {
        let app = App::new(&shop()).unwrap();
        let class = |link: &str| app.by_link(link).map(|page| app.short(page));
        assert_eq!(class("shop://product/42"), Some("com.example.shop/.ProductActivity".into()));
        assert_eq!(class("shop://feed"), Some("com.example.shop/.FeedActivity".into()));
        assert_eq!(class("shop://feeder"), None);
        assert_eq!(app.by_class("com.example.shop.VideoActivity"), app.by_name("video"));
        assert_eq!(app.launcher(), app.by_name("main"));
    }

    #[test]
    fn a_wrong_description_is_refused_in_words() {
        let bad = AppSpec { id: "no spaces".into(), ..AppSpec::default() };
        assert!(App::new(&bad).unwrap_err().0.contains("package name"));
        let pages =
            BTreeMap::from([("a".to_owned(), PageSpec { opens: Some("b".into()), ..PageSpec::default() })]);
        assert!(App::new(&AppSpec { pages, ..AppSpec::default() }).unwrap_err().0.contains("opens `b`"));
    }
}
