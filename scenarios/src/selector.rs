//! Elements on the screen and what is asked of it: selectors and conditions, as Maestro means them.

use crate::gesture::Point;
use crate::template::Template;
use std::time::Duration;

/// An element on the screen, found in a `uiautomator dump`. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Its text, hint or content description: a regular expression that matches the whole, upper case or lower.
    pub text: Option<Template>,
    /// Its resource id, with or without the package prefix: a regular expression as well.
    pub id: Option<Template>,
    /// Its size in px.
    pub size: Option<Size>,
    /// Its states.
    pub states: States,
    /// Where it lies, seen from other elements.
    pub relations: Vec<Relation>,
    /// Which of those that are left, from the top and from the left; negative counts from the end.
    pub index: Option<i32>,
}

/// A size in px; what is not given is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width.
    pub width: Option<u32>,
    /// Height.
    pub height: Option<u32>,
    /// How far off either may be.
    pub tolerance: u32,
}

/// States an element must be in; what is not given is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// It takes input.
    pub enabled: Option<bool>,
    /// It is checked, as a switch that is on.
    pub checked: Option<bool>,
    /// It has the input focus.
    pub focused: Option<bool>,
    /// It is selected, as the tab of the page in front.
    pub selected: Option<bool>,
}

/// Where an element lies, seen from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Its top edge is lower than the other's.
    Below(Box<Selector>),
    /// Its top edge is higher.
    Above(Box<Selector>),
    /// Its left edge is farther left.
    LeftOf(Box<Selector>),
    /// Its left edge is farther right.
    RightOf(Box<Selector>),
    /// The other is its child.
    ContainsChild(Box<Selector>),
    /// The others lie inside it, at any depth.
    ContainsDescendants(Vec<Selector>),
    /// It lies inside the other, at any depth.
    ChildOf(Box<Selector>),
}

impl Selector {
    /// The element with this text.
    pub fn text(text: impl Into<Template>) -> Selector {
        Selector { text: Some(text.into()), ..Selector::default() }
    }

    /// The element with this id.
    pub fn id(id: impl Into<Template>) -> Selector {
        Selector { id: Some(id.into()), ..Selector::default() }
    }
}

/// A tap.
#[derive(Clone, Debug, PartialEq)]
pub struct Tap {
    /// Where.
    pub target: Target,
    /// How often, >= 1.
    pub times: u32,
    /// From one tap to the next.
    pub delay: Duration,
    /// The finger stays down, as for a context menu.
    pub long: bool,
    /// Tap once more when the screen shows the same as before.
    pub retry: bool,
    /// How long the element is waited for.
    pub timeout: Duration,
}

/// What to tap.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A point of the screen.
    Point(Point),
    /// An element, at its middle or at a point of its own area.
    Element(Box<Selector>, Option<Point>),
}

impl Tap {
    /// One tap on an element that is waited for so long.
    pub fn element(selector: Selector, timeout: Duration) -> Tap {
        Tap {
            target: Target::Element(Box::new(selector), None),
            times: 1,
            delay: DELAY,
            long: false,
            retry: false,
            timeout,
        }
    }
}

/// From one tap to the next, as in Maestro.
pub const DELAY: Duration = Duration::from_millis(100);

/// What must hold before steps run; all that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// It is on the screen.
    pub visible: Option<Selector>,
    /// It is not, or goes in time.
    pub not_visible: Option<Selector>,
    /// It evaluates to something that is not empty, `false`, `null`, `undefined` or 0.
    pub script: Option<Template>,
}
