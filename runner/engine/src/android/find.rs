//! Which element of a screen a selector means, as Maestro means it: texts and ids are regular expressions over the
//! whole, upper case or lower; a relation compares top or left edges; of several the deepest that matches, those that
//! take taps first.

use super::clip;
use super::screen::Element;
use farmjank_scenarios::selector::{Relation, Selector, Size, States};
use farmjank_scenarios::template::Template;
use regex_lite::{Regex, RegexBuilder};

/// A selector whose texts are known and compiled.
#[derive(Debug)]
pub struct Wanted {
    words: String,
    text: Option<Pattern>,
    id: Option<Pattern>,
    size: Option<Size>,
    states: States,
    relations: Vec<Related>,
    index: Option<i32>,
}

#[derive(Debug)]
enum Related {
    /// By an edge: which of (left, top), and whether ours is the farther one.
    Edge(usize, bool, Wanted),
    Child(Wanted),
    Descendants(Vec<Wanted>),
    Inside(Wanted),
}

#[derive(Debug)]
struct Pattern {
    literal: String,
    compiled: Option<Regex>,
}

impl Pattern {
    /// One that is no valid expression is taken literally.
    fn new(text: &str) -> Pattern {
        let compiled = RegexBuilder::new(&format!(r"\A(?:{text})\z"))
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .multi_line(true)
            .build();
        Pattern { literal: text.to_owned(), compiled: compiled.ok() }
    }

    fn matches(&self, text: &str) -> bool {
        let on_one_line = text.replace('\n', " ");
        [text, &on_one_line].into_iter().any(|text| {
            text == self.literal || self.compiled.as_ref().is_some_and(|pattern| pattern.is_match(text))
        })
    }
}

impl Wanted {
    /// Compiles a selector; `fill` gives its texts.
    ///
    /// # Errors
    /// The first that `fill` gives.
    pub fn new<E>(
        selector: &Selector,
        fill: &mut dyn FnMut(&Template) -> Result<String, E>,
    ) -> Result<Wanted, E> {
        let text = selector.text.as_ref().map(&mut *fill).transpose()?;
        let id = selector.id.as_ref().map(&mut *fill).transpose()?;
        let relations = selector.relations.iter().map(|relation| Related::new(relation, fill));
        let relations = relations.collect::<Result<Vec<_>, E>>()?;
        Ok(Wanted {
            words: words(selector, text.as_deref(), id.as_deref()),
            text: text.as_deref().map(Pattern::new),
            id: id.as_deref().map(Pattern::new),
            size: selector.size,
            states: selector.states,
            relations,
            index: selector.index,
        })
    }

    /// What is looked for, in words.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The element it means, if there is one on the screen.
    pub fn find<'a>(&self, elements: &'a [Element]) -> Option<&'a Element> {
        self.all(elements, &(0..elements.len()).collect::<Vec<_>>()).first().map(|at| &elements[*at])
    }

    /// Those of `among` that are meant, the best first.
    fn all(&self, elements: &[Element], among: &[usize]) -> Vec<usize> {
        let among = self.relations.iter().fold(among.to_vec(), |among, relation| match relation {
            Related::Inside(parent) => match parent.all(elements, &among).first() {
                Some(parent) => {
                    among.into_iter().filter(|at| within(elements, *parent, *at) || at == parent).collect()
                }
                None => Vec::new(),
            },
            _ => among,
        });
        let mut sets: Vec<Vec<usize>> = Vec::new();
        if let Some(text) = &self.text {
            sets.push(deepest(elements, &among, |element| {
                let words = [&element.text, &element.hint, &element.description];
                words.into_iter().any(|words| !words.is_empty() && text.matches(words))
            }));
        }
        if let Some(id) = &self.id {
            sets.push(deepest(elements, &among, |element| {
                let name = element.id.rsplit('/').next().unwrap_or(&element.id);
                !element.id.is_empty() && (id.matches(&element.id) || id.matches(name))
            }));
        }
        sets.extend(self.relations.iter().filter_map(|relation| relation.meant(elements, &among)));
        let order = sets.first().cloned().unwrap_or(among);
        let mut meant: Vec<usize> = order
            .into_iter()
            .filter(|at| elements[*at].is_on_screen() && self.fits(&elements[*at]))
            .filter(|at| sets.iter().all(|set| set.contains(at)))
            .collect();
        match self.index {
            None => meant.sort_by_key(|at| !elements[*at].clickable),
            Some(index) => {
                meant.sort_by_key(|at| {
                    let (left, top, ..) = elements[*at].bounds;
                    (top, left)
                });
                let count = i64::try_from(meant.len()).unwrap_or(i64::MAX);
                let place = if index < 0 { count + i64::from(index) } else { i64::from(index) };
                meant =
                    usize::try_from(place).ok().and_then(|at| meant.get(at).copied()).into_iter().collect();
            }
        }
        meant
    }

    fn fits(&self, element: &Element) -> bool {
        let States { enabled, checked, focused, selected } = self.states;
        let (left, top, right, bottom) = element.bounds;
        let near = |is: i64, wanted: Option<u32>, tolerance: u32| {
            wanted.is_none_or(|wanted| (is - i64::from(wanted)).abs() <= i64::from(tolerance))
        };
        enabled.is_none_or(|wanted| element.enabled == wanted)
            && checked.is_none_or(|wanted| element.checked == wanted)
            && focused.is_none_or(|wanted| element.focused == wanted)
            && selected.is_none_or(|wanted| element.selected == wanted)
            && self.size.is_none_or(|size| {
                near(right - left, size.width, size.tolerance)
                    && near(bottom - top, size.height, size.tolerance)
            })
    }
}

impl Related {
    fn new<E>(
        relation: &Relation,
        fill: &mut dyn FnMut(&Template) -> Result<String, E>,
    ) -> Result<Related, E> {
        Ok(match relation {
            Relation::Below(other) => Related::Edge(1, true, Wanted::new(other, fill)?),
            Relation::Above(other) => Related::Edge(1, false, Wanted::new(other, fill)?),
            Relation::RightOf(other) => Related::Edge(0, true, Wanted::new(other, fill)?),
            Relation::LeftOf(other) => Related::Edge(0, false, Wanted::new(other, fill)?),
            Relation::ContainsChild(other) => Related::Child(Wanted::new(other, fill)?),
            Relation::ContainsDescendants(others) => {
                let others = others.iter().map(|other| Wanted::new(other, fill));
                Related::Descendants(others.collect::<Result<Vec<_>, E>>()?)
            }
            Relation::ChildOf(other) => Related::Inside(Wanted::new(other, fill)?),
        })
    }

    /// Those of `among` it allows, the nearest first where it is about places; none where it was asked before.
    fn meant(&self, elements: &[Element], among: &[usize]) -> Option<Vec<usize>> {
        let all = |wanted: &Wanted| wanted.all(elements, among);
        match self {
            Related::Inside(_) => None,
            Related::Edge(side, farther, other) => {
                let others = all(other);
                let edge = |at: usize| if *side == 0 { elements[at].bounds.0 } else { elements[at].bounds.1 };
                let beyond = |at: usize, other: usize| match farther {
                    true => edge(at) > edge(other),
                    false => edge(at) < edge(other),
                };
                let nearest = |at: usize| {
                    let others = others.iter().filter(|other| beyond(at, **other));
                    others.map(|other| distance(&elements[at], &elements[*other])).min()
                };
                let mut found: Vec<(i64, usize)> =
                    among.iter().filter_map(|at| Some((nearest(*at)?, *at))).collect();
                found.sort_by_key(|(distance, _)| *distance);
                Some(found.into_iter().map(|(_, at)| at).collect())
            }
            Related::Child(child) => {
                let child = all(child).first().copied();
                let is = |at: &&usize| child.is_some_and(|child| parent(elements, child) == Some(**at));
                Some(among.iter().filter(is).copied().collect())
            }
            Related::Descendants(others) => {
                let others: Vec<Vec<usize>> = others.iter().map(all).collect();
                let holds = |at: &&usize| {
                    others.iter().all(|other| other.iter().any(|inner| within(elements, **at, *inner)))
                };
                Some(among.iter().filter(holds).copied().collect())
            }
        }
    }
}

/// Those that match and hold no other that does, in the order of the document.
fn deepest(elements: &[Element], among: &[usize], matches: impl Fn(&Element) -> bool) -> Vec<usize> {
    let matching: Vec<usize> = among.iter().copied().filter(|at| matches(&elements[*at])).collect();
    let holds = |pair: &[usize]| matches!(pair, [outer, inner] if within(elements, *outer, *inner));
    // In the order of the document whatever lies in an element follows it at once.
    let next = |place: usize| matching.get(place..place + 2);
    let places = (0..matching.len()).filter(|place| !next(*place).is_some_and(holds));
    places.map(|place| matching[place]).collect()
}

/// Whether one element lies in another, at any depth.
fn within(elements: &[Element], outer: usize, inner: usize) -> bool {
    inner > outer && inner < elements[outer].end
}

fn parent(elements: &[Element], child: usize) -> Option<usize> {
    elements[..child].iter().rposition(|before| before.end > child)
}

/// Between their middles, px squared.
fn distance(one: &Element, other: &Element) -> i64 {
    let ((x, y), (to_x, to_y)) = (one.center(), other.center());
    (x - to_x).pow(2) + (y - to_y).pow(2)
}

/// A selector in words, for messages.
fn words(selector: &Selector, text: Option<&str>, id: Option<&str>) -> String {
    let mut all: Vec<String> = Vec::new();
    all.extend(text.map(|text| format!("text `{}`", clip(text, 80))));
    all.extend(id.map(|id| format!("id `{}`", clip(id, 80))));
    let size = selector.size.map(|size| {
        let side = |px: Option<u32>| px.map_or("any".to_owned(), |px| px.to_string());
        format!("{} × {} px", side(size.width), side(size.height))
    });
    all.extend(size);
    let states = selector.states;
    let named = [
        ("enabled", states.enabled),
        ("checked", states.checked),
        ("focused", states.focused),
        ("selected", states.selected),
    ];
    let state = |(name, state): (&str, Option<bool>)| {
        state.map(|is| format!("{}{name}", if is { "" } else { "not " }))
    };
    all.extend(named.into_iter().filter_map(state));
    all.extend(selector.relations.iter().map(|relation| match relation {
        Relation::Below(other) => format!("below {}", describe(other)),
        Relation::Above(other) => format!("above {}", describe(other)),
        Relation::LeftOf(other) => format!("left of {}", describe(other)),
        Relation::RightOf(other) => format!("right of {}", describe(other)),
        Relation::ContainsChild(other) => format!("the parent of {}", describe(other)),
        Relation::ContainsDescendants(others) => {
            let others: Vec<String> = others.iter().map(describe).collect();
            format!("around {}", others.join(" and "))
        }
        Relation::ChildOf(other) => format!("inside {}", describe(other)),
    }));
    let number = selector.index.map(|index| format!("number {index}"));
    all.extend(number);
    all.join(", ")
}

/// A selector in words, as it was written.
pub fn describe(selector: &Selector) -> String {
    let written = |template: &Template| template.to_string();
    words(
        selector,
        selector.text.as_ref().map(written).as_deref(),
        selector.id.as_ref().map(written).as_deref(),
    )
}
