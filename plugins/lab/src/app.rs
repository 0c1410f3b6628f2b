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

/// What a tap on an element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens a page.
    Open(usize),
    /// Puts the cursor into the search box.
    Focus,
}

/// Something on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Java class.
    pub class: &'static str,
    /// Resource id without package, may be empty.
    pub id: String,
    /// Text, may be empty.
    pub text: String,
    /// Left, top, right, bottom in px.
    pub bounds: [i64; 4],
    /// Can be scrolled.
    pub scrollable: bool,
    /// What a tap does.
    pub action: Option<Action>,
}

/// The geometry of a screen for an app.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// px.
    pub width: i64,
    /// px.
    pub height: i64,
    /// dpi.
    pub density: i64,
}

impl Canvas {
    fn dp(&self, dp: i64) -> i64 {
        dp * self.density / 160
    }

    /// Top and bottom of the list, px.
    pub fn list(&self) -> (i64, i64) {
        (self.dp(24 + 56), self.height - self.dp(48 + 56))
    }

    /// Height of a row, px.
    pub fn row(&self) -> i64 {
        self.dp(112)
    }

    /// Last scroll position of a page, px.
    pub fn last(&self, page: &PageSpec) -> f64 {
        let (top, bottom) = self.list();
        (i64::from(page.items) * self.row() - (bottom - top)).max(0) as f64
    }

    /// What a page shows when scrolled by `position` px; `typed` is in the search box.
    pub fn elements(&self, app: &App, page: usize, position: f64, typed: &str) -> Vec<Element> {
        let spec = &app.pages[page].spec;
        let mut elements = vec![self.toolbar(app, page, typed)];
        let (top, bottom) = self.list();
        match spec.kind {
            PageKind::Video | PageKind::Game => {
                elements.push(plain("android.view.SurfaceView", "surface", [0, top, self.width, bottom]))
            }
            PageKind::Flutter => elements.push(plain("android.view.View", "", [0, top, self.width, bottom])),
            PageKind::Still => {
                elements.push(plain("android.widget.ImageView", "picture", [0, top, self.width, bottom]))
            }
            PageKind::List | PageKind::SurfaceView => {
                let list =
                    plain("androidx.recyclerview.widget.RecyclerView", "list", [0, top, self.width, bottom]);
                elements.push(Element { scrollable: true, ..list });
            }
        }
        let action = spec.opens.as_deref().and_then(|name| app.by_name(name)).map(Action::Open);
        let first = (position as i64 / self.row().max(1)).max(0);
        for number in first..i64::from(spec.items) {
            let y = top + number * self.row() - position as i64;
            if y >= bottom {
                break;
            }
            let text = spec.item_text.replace("{}", &(number + 1).to_string());
            let bounds = [0, y.max(top), self.width, (y + self.row()).min(bottom)];
            elements.push(Element { text, action, ..plain("android.widget.TextView", "title", bounds) });
        }
        elements.extend(self.navigation(app, page));
        elements
    }

    fn toolbar(&self, app: &App, page: usize, typed: &str) -> Element {
        let bounds = [0, self.dp(24), self.width, self.dp(24 + 56)];
        if app.pages[page].name == "search" {
            let text = if typed.is_empty() { "Search" } else { typed }.to_owned();
            let action = Some(Action::Focus);
            return Element { text, action, ..plain("android.widget.EditText", "search_box", bounds) };
        }
        let mut text = app.pages[page].name.clone();
        if let Some(letter) = text.get_mut(..1) {
            letter.make_ascii_uppercase();
        }
        Element { text, ..plain("android.widget.TextView", "toolbar_title", bounds) }
    }

    /// Up to four tabs at the bottom.
    fn navigation(&self, app: &App, page: usize) -> Vec<Element> {
        let count = app.pages.len().min(4) as i64;
        let (top, bottom) = (self.height - self.dp(48 + 56), self.height - self.dp(48));
        let tab = |index: i64| {
            let target = index as usize;
            let bounds = [self.width * index / count, top, self.width * (index + 1) / count, bottom];
            let name = &app.pages[target].name;
            let action = (target != page).then_some(Action::Open(target));
            Element {
                text: name.clone(),
                action,
                ..plain("android.widget.Button", &format!("nav_{name}"), bounds)
            }
        };
        if count < 2 { Vec::new() } else { (0..count).map(tab).collect() }
    }
}

fn plain(class: &'static str, id: &str, bounds: [i64; 4]) -> Element {
    Element { class, id: id.to_owned(), text: String::new(), bounds, scrollable: false, action: None }
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
    fn what_is_on_the_screen_depends_on_the_scroll_position() {
        let app = App::new(&shop()).unwrap();
        let canvas = Canvas { width: 1080, height: 2400, density: 420 };
        let feed = app.by_name("feed").unwrap();
        let shows = |position: f64, text: &str| {
            canvas.elements(&app, feed, position, "").iter().any(|element| element.text == text)
        };
        assert!(shows(0.0, "Item 1") && !shows(0.0, "Item 40"));
        assert!(shows(40.0 * canvas.row() as f64 - 500.0, "Item 40"));
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
