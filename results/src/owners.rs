//! Whose a cause is: teams by packages, classes, methods, sections of an app, and kinds (docs/causes.md, "Owners").
//!
//! Pure. Must not know: files, YAML; a file of owners is read by the crate of scenarios.

use crate::cause_selector::fits;
use crate::hitch_causes::{HitchCause, HitchCauses};
use crate::record::{JobRecord, Record};
use std::collections::BTreeMap;

/// Who owns what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// Names and patterns with `*`, each with its owner, in order of the file.
    pub rules: Vec<(String, String)>,
    /// What tickets of an owner get, by its name.
    pub teams: BTreeMap<String, Team>,
}

/// What tickets of an owner get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    /// Labels, by which trackers give them to people.
    pub labels: Vec<String>,
}

/// What everything is of that nothing else fits.
const ALL: &str = "*";

impl Owners {
    /// The owner of a cause: by the method it is charged to; where no rule fits that, by the section, thread or process
    /// it names; else by its kind; else whoever owns everything. Of several rules that fit one of these the longest
    /// counts, and of equals the first.
    pub fn of(&self, cause: &HitchCause) -> Option<&str> {
        let names = [&cause.method, &cause.named.object, &cause.named.kind];
        let own = names.into_iter().filter(|name| !name.is_empty()).find_map(|name| self.longest(name));
        own.or_else(|| self.rules.iter().find(|(rule, _)| rule == ALL).map(|(_, owner)| owner.as_str()))
    }

    fn longest(&self, name: &str) -> Option<&str> {
        let fitting = self.rules.iter().filter(|(rule, _)| rule != ALL && owns(rule, name));
        let length = |rule: &str| rule.len() - rule.matches('*').count();
        let best = fitting.reduce(|best, one| if length(&one.0) > length(&best.0) { one } else { best });
        best.map(|(_, owner)| owner.as_str())
    }

    /// Says of every cause of a run whose it is, whatever the run itself was told.
    pub fn tell_all(&self, record: &mut Record) {
        for JobRecord { causes, causes_over, .. } in record.jobs.values_mut() {
            let all = causes.iter_mut().chain(causes_over.values_mut());
            all.filter_map(|found| found.causes.as_mut()).for_each(|found| self.tell(found));
        }
    }

    /// Says of every cause whose it is.
    pub fn tell(&self, found: &mut HitchCauses) {
        let all = found.causes.iter_mut().chain(&mut found.stalls.causes);
        all.for_each(|cause| cause.owner = self.of(cause).map(str::to_owned));
    }
}

/// Whether a rule fits a name: with `*`, which stands for anything, all of it; else its beginning, up to where a part
/// of a name ends.
fn owns(rule: &str, name: &str) -> bool {
    if rule.contains('*') {
        return fits(rule, name);
    }
    let ends = |rest: &str| rest.is_empty() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    name.strip_prefix(rule).is_some_and(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitch_causes::{Confidence, Group, NamedCause};
    use proptest::prelude::*;

    fn owners(rules: &[(&str, &str)]) -> Owners {
        let rules = rules.iter().map(|(rule, owner)| ((*rule).to_owned(), (*owner).to_owned())).collect();
        Owners { rules, teams: BTreeMap::new() }
    }

    fn cause(kind: &str, object: &str, method: &str) -> HitchCause {
        let (title, thread) = (String::new(), "main".to_owned());
        let named =
            NamedCause { kind: kind.to_owned(), group: Group::App, title, thread, object: object.to_owned() };
        HitchCause {
            named,
            fingerprint: String::new(),
            us: 1,
            frames: 1,
            usual_us: 0,
            detail: String::new(),
            method: method.to_owned(),
            owner: None,
            confidence: Confidence::Sure,
        }
    }

    #[test]
    fn the_longest_rule_that_fits_the_method_owns_and_sections_and_kinds_come_after() {
        let owners = owners(&[
            ("*", "app"),
            ("com.shop", "shop"),
            ("com.shop.db", "db"),
            ("com.shop.db.Sync.run", "sync"),
            ("com.shop.feed.*Adapter*", "lists"),
            ("shop::gl", "native"),
            ("load*", "feed"),
            ("lock.*", "locks"),
        ]);
        for (kind, object, method, owner) in [
            ("lock.monitor", "\"w\" in Db.flush", "com.shop.db.Db.flush", "db"),
            ("app.code", "", "com.shop.db.Sync.run", "sync"),
            ("app.code", "", "com.shop.db.Sync$lambda.run", "db"),
            ("app.code", "", "com.shop.dbx.Db.flush", "shop"),
            ("app.code", "", "com.shop.feed.CardAdapter.onBind", "lists"),
            ("app.code", "", "shop::gl::draw", "native"),
            // A method nobody owns is looked for by its section, then by its kind.
            ("app.code", "loadFeed#4", "org.other.Json.parse", "feed"),
            ("lock.art", "InternTable lock", "", "locks"),
            ("gpu.busy", "", "", "app"),
        ] {
            assert_eq!(owners.of(&cause(kind, object, method)), Some(owner), "{kind} {object} {method}");
        }
    }

    #[test]
    fn nobody_owns_what_no_rule_fits_and_of_equal_rules_the_first_counts() {
        let two = owners(&[("com.a*", "first"), ("com.*a", "second")]);
        assert_eq!(two.of(&cause("app.code", "", "com.a.a")), Some("first"));
        assert_eq!(two.of(&cause("app.code", "", "org.b")), None);
        assert_eq!(Owners::default().of(&cause("app.code", "", "com.a")), None);
    }

    #[test]
    fn stars_stand_for_anything_and_nothing_else_does() {
        for (rule, name, fit) in [
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("*x*", "x", true),
            ("*x", "yx!", false),
        ] {
            assert_eq!(owns(rule, name), fit, "{rule} {name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_with_stars_put_anywhere_into_it_fits_it(name in "[a-c.é]{1,12}", cut in any::<prop::sample::Index>()) {
            let all: Vec<usize> = name.char_indices().map(|(at, _)| at).chain([name.len()]).collect();
            let at = all[cut.index(all.len())];
            let rule = format!("{}*{}", &name[..at], &name[at..]);
            prop_assert!(owns(&rule, &name));
            prop_assert!(owns(&name, &name));
        }
    }
}
