//! One message of a run: a title, news under headings, and where more is to be read. Every text is bounded and on one
//! line; what a chat would take for markup is each chat's own to disarm.

use crate::news::{Item, News, RunSeen};
use farmjank_leaf::text::line;
use farmjank_results::verdict::{Verdict, exit_word};

/// Most characters of what is told.
const WHAT: usize = 120;
/// Most characters of why.
const WHY: usize = 160;
/// Most characters of a title, which is as many as Slack takes.
const TITLE: usize = 150;
/// Most characters of an address.
const ADDRESS: usize = 500;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What the run came to.
    pub title: String,
    /// Its verdict, for a colour; never the only sign of it.
    pub verdict: Option<Verdict>,
    /// News under headings; none is empty.
    pub sections: Vec<Section>,
    /// Which run it was, and against which.
    pub foot: String,
    /// Where more is to be read; none where nobody says.
    pub link: Option<String>,
}

/// News under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: &'static str,
    /// A line each.
    pub lines: Vec<String>,
}

impl Message {
    /// Of a run and its news.
    pub fn of(now: &RunSeen, news: &News, link: Option<&str>) -> Message {
        let verdict = now.verdict.map_or_else(|| "not judged".to_owned(), |verdict| verdict.to_string());
        let title = line(&format!("farmjank: {verdict} · {}", now.counts), TITLE);
        let filled = news.sections().into_iter().filter(|(_, items)| !items.is_empty());
        let sections =
            filled.map(|(heading, items)| Section { heading, lines: items.iter().map(told).collect() });
        let mut foot = vec![format!("run {}", line(&now.run, WHAT))];
        if let Some(code) = now.exit_code {
            foot.push(format!("exit {code} ({})", exit_word(code)));
        }
        foot.push(match &news.against {
            Some(run) => format!("against run {}", line(run, WHAT)),
            None => "the first run that is told of".to_owned(),
        });
        if !news.is_any() {
            foot.push("nothing changed".to_owned());
        }
        if let Some(lab) = &now.lab {
            foot.push(line(lab, WHY));
        }
        Message {
            title,
            verdict: now.verdict,
            sections: sections.collect(),
            foot: foot.join(" · "),
            link: link.and_then(address),
        }
    }

    /// A section as lines of text, the first `most` of its news, and how many more there are.
    pub(crate) fn lines<'a>(section: &'a Section, most: usize) -> impl Iterator<Item = String> + 'a {
        let more = section.lines.len().saturating_sub(most);
        let lines = section.lines.iter().take(most).map(|line| format!("• {line}"));
        lines.chain((more > 0).then(|| format!("• and {more} more")))
    }
}

fn told(item: &Item) -> String {
    let what = line(&item.what, WHAT);
    if item.why.is_empty() { what } else { format!("{what}: {}", line(&item.why, WHY)) }
}

/// An address that a person can open, and that cannot end a link.
fn address(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_graphic() && !"<>|\"'()[]`\\".contains(c);
    let is_one = (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(plain);
    (is_one && text.len() <= ADDRESS).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::news::news;

    #[test]
    fn a_link_is_an_address_and_nothing_else() {
        let run = RunSeen::default();
        let link = |text: &str| Message::of(&run, &news(None, &run), Some(text)).link;
        assert_eq!(
            link("https://ci.acme.com/job/12?x=1#log").as_deref(),
            Some("https://ci.acme.com/job/12?x=1#log")
        );
        for none in [
            "",
            "javascript:x",
            "https://x|y",
            "https://x>",
            "https://x y",
            "https://x)",
            &format!("https://{}", "x".repeat(500)),
        ] {
            assert_eq!(link(none), None, "{none}");
        }
    }

    #[test]
    fn a_message_says_what_it_is_about_without_news_too() {
        let run = RunSeen {
            run: "r2".to_owned(),
            exit_code: Some(0),
            counts: "4 passed".to_owned(),
            verdict: Some(Verdict::Pass),
            ..RunSeen::default()
        };
        let message = Message::of(&run, &news(Some(&run), &run), None);
        assert_eq!(message.title, "farmjank: pass · 4 passed");
        assert_eq!(message.foot, "run r2 · exit 0 (passed) · against run r2 · nothing changed");
        assert!(message.sections.is_empty());
    }
}
