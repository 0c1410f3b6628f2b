//! What a comment says: hidden lines by which it is found again, the page of the run, and where the page comes from.

use farmjank_leaf::text::line;

/// Longest body that GitHub takes, characters.
const MOST: usize = 65_536;
/// Most characters of a name in the last line.
const NAME: usize = 200;

/// Which of two runs of a CI is the later one: their numbers, and which attempt of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// Number of the run in its CI, which only grows.
    pub run: u64,
    /// Which attempt, from 1.
    pub attempt: u64,
}

/// A comment to be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// What tells it from other comments of farmjank there: small letters, digits, `-`.
    pub key: String,
    /// When it was said; none outside a CI.
    pub order: Option<Order>,
    /// The page, in Markdown.
    pub page: String,
    /// Commit that was measured; empty where nobody says.
    pub commit: String,
    /// Where the log of the job is; empty where nobody says.
    pub log: String,
}

impl Comment {
    /// Whether a key is one.
    pub fn is_key(key: &str) -> bool {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !key.is_empty() && key.len() <= 40 && key.chars().all(plain)
    }

    /// The first line, which nobody sees.
    pub fn marker(&self) -> String {
        format!("<!-- farmjank:{} -->", self.key)
    }

    /// All of it.
    pub fn body(&self) -> String {
        let mut head = self.marker() + "\n";
        if let Some(Order { run, attempt }) = self.order {
            head += &format!("<!-- farmjank:told {run}.{attempt} -->\n");
        }
        let mut last = Vec::new();
        let commit: String = self.commit.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        if !commit.is_empty() {
            last.push(format!("commit {commit}"));
        }
        if self.log.starts_with("https://")
            && self.log.chars().all(|c| c.is_ascii_graphic() && !"()<>".contains(c))
        {
            last.push(format!("[log and files]({})", line(&self.log, NAME)));
        }
        let tail =
            if last.is_empty() { String::new() } else { format!("\n<sub>{}</sub>\n", last.join(" · ")) };
        let room = MOST.saturating_sub(head.chars().count() + tail.chars().count());
        let page: String = self.page.chars().take(room).collect();
        head + &page + &tail
    }

    /// Whether a body is that of this comment, said earlier or later.
    pub fn is_it(&self, body: &str) -> bool {
        body.lines().next().is_some_and(|first| first.trim_end() == self.marker())
    }
}

/// When a body was said.
pub fn order_of(body: &str) -> Option<Order> {
    let told = body.lines().nth(1)?.trim_end();
    let (run, attempt) = told.strip_prefix("<!-- farmjank:told ")?.strip_suffix(" -->")?.split_once('.')?;
    Some(Order { run: run.parse().ok()?, attempt: attempt.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(page: &str) -> Comment {
        Comment {
            key: "gate".to_owned(),
            order: Some(Order { run: 812, attempt: 2 }),
            page: page.to_owned(),
            commit: "1a2b3c4d".to_owned(),
            log: "https://github.com/acme/shop/actions/runs/812".to_owned(),
        }
    }

    #[test]
    fn a_comment_knows_itself_and_when_it_was_said() {
        let own = comment("## pass\n");
        let body = own.body();
        assert_eq!(
            body,
            "<!-- farmjank:gate -->\n<!-- farmjank:told 812.2 -->\n## pass\n\n<sub>commit 1a2b3c4d · [log and \
             files](https://github.com/acme/shop/actions/runs/812)</sub>\n"
        );
        assert!(own.is_it(&body.replace('\n', "\r\n")), "GitHub keeps what browsers send");
        assert_eq!(order_of(&body.replace('\n', "\r\n")), own.order);
        assert!(
            !own.is_it(&format!("> {body}"))
                && !own.is_it("")
                && !Comment { key: "ab".to_owned(), ..own }.is_it(&body)
        );
        for none in [
            "",
            "x\n<!-- farmjank:told 8 -->",
            "x\n<!-- farmjank:told 8.-1 -->",
            "<!-- farmjank:told 8.1 -->",
        ] {
            assert_eq!(order_of(none), None, "{none}");
        }
    }

    #[test]
    fn a_commit_or_an_address_of_strangers_says_nothing_of_its_own() {
        let hostile = Comment {
            commit: "</sub> @all".to_owned(),
            log: "https://x) [a](javascript:x".to_owned(),
            ..comment("page\n")
        };
        assert!(hostile.body().ends_with("page\n\n<sub>commit suball</sub>\n"), "{}", hostile.body());
        let none = Comment { commit: String::new(), log: String::new(), ..comment("page\n") };
        assert!(none.body().ends_with("page\n"));
    }

    #[test]
    fn no_body_is_longer_than_github_takes() {
        let body = comment(&"ä".repeat(70_000)).body();
        assert_eq!(body.chars().count(), 65_536);
        assert!(body.ends_with("</sub>\n") && body.starts_with("<!-- farmjank:gate -->\n"));
    }
}
