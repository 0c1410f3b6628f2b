//! What is on the screen of a page: elements and where they are, px. Must not know frames, time or text formats.

use crate::app::App;
use crate::spec::{PageKind, PageSpec};

/// What a tap on an element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens a page.
    Open(usize),
    /// Puts the cursor into the search box.
    Focus,
    /// Turns the switch.
    Switch,
}

/// What there is to see of a page beside what it always shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shown<'s> {
    /// How far it is scrolled, px.
    pub position: f64,
    /// Text in its search box.
    pub typed: &'s str,
    /// The cursor is in it.
    pub focused: bool,
    /// Its switch is on.
    pub switched: bool,
    /// It is not there yet.
    pub loading: bool,
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
    /// It has the input focus.
    pub focused: bool,
    /// Whether it is checked, where it can be.
    pub checked: Option<bool>,
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

    /// What a page shows.
    pub fn elements(&self, app: &App, page: usize, shown: &Shown<'_>) -> Vec<Element> {
        let spec = &app.pages[page].spec;
        let mut elements = vec![self.toolbar(app, page, shown)];
        let (top, bottom) = self.list();
        if shown.loading {
            let text = "Loading".to_owned();
            elements.push(Element {
                text,
                ..plain("android.widget.TextView", "loading", [0, top, self.width, bottom])
            });
            elements.extend(self.navigation(app, page));
            return elements;
        }
        if let Some(words) = &spec.switch {
            let bounds = [self.width / 2, self.dp(24), self.width, self.dp(24 + 56)];
            let (text, action, checked) = (words.clone(), Some(Action::Switch), Some(shown.switched));
            elements.push(Element {
                text,
                action,
                checked,
                ..plain("android.widget.Switch", "switch", bounds)
            });
        }
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
        let first = (shown.position as i64 / self.row().max(1)).max(0);
        for number in first..i64::from(spec.items) {
            let y = top + number * self.row() - shown.position as i64;
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

    fn toolbar(&self, app: &App, page: usize, shown: &Shown<'_>) -> Element {
        let bounds = [0, self.dp(24), self.width, self.dp(24 + 56)];
        if app.pages[page].name == "search" {
            let text = if shown.typed.is_empty() { "Search" } else { shown.typed }.to_owned();
            let (action, focused) = (Some(Action::Focus), shown.focused);
            return Element {
                text,
                action,
                focused,
                ..plain("android.widget.EditText", "search_box", bounds)
            };
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
    Element {
        class,
        id: id.to_owned(),
        text: String::new(),
        bounds,
        scrollable: false,
        action: None,
        focused: false,
        checked: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::shop;

    #[test]
    fn what_is_on_the_screen_depends_on_the_scroll_position() {
        let app = App::new(&shop()).unwrap();
        let canvas = Canvas { width: 1080, height: 2400, density: 420 };
        let feed = app.by_name("feed").unwrap();
        let shows = |position: f64, text: &str| {
            let shown = Shown { position, ..Shown::default() };
            canvas.elements(&app, feed, &shown).iter().any(|element| element.text == text)
        };
        assert!(shows(0.0, "Item 1") && !shows(0.0, "Item 40"));
        assert!(shows(40.0 * canvas.row() as f64 - 500.0, "Item 40"));
    }
}
