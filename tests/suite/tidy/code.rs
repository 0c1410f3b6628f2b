//! How code is written: headers, explained panics, `select!` in a fixed order, no test left out.

use super::tokens::{Kind, Token, attributes};
use super::tree::{Source, sources};
use super::{Complaint, none};

/// Fewest words that explain why something cannot happen.
const EXPLAINED: usize = 2;

fn headless(source: &Source) -> Option<Complaint> {
    let first = source.text.lines().next().unwrap_or_default();
    let words = "begin the file with `//!`: purpose, what it must not know, units";
    (!first.starts_with("//! ")).then(|| Complaint::at(&source.path, 1, words))
}

/// Tokens around an index: this one and those after it.
fn after(tokens: &[Token], at: usize) -> [Option<&Token>; 3] {
    [tokens.get(at), tokens.get(at + 1), tokens.get(at + 2)]
}

fn unexplained(source: &Source) -> Vec<Complaint> {
    let tokens = &source.tokens;
    let mut complaints = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| source.ships(token.line)) {
        let Some(name) = token.word() else { continue };
        let called = at > 0 && tokens[at - 1].is_mark('.');
        let opens = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Open(_)));
        let open = match name {
            "unwrap" | "unwrap_err" | "expect" | "expect_err" if called && opens(at + 1) => at + 1,
            "panic" | "unreachable" if tokens.get(at + 1).is_some_and(|next| next.is_mark('!')) => at + 2,
            _ => continue,
        };
        // A method of one's own may be called `expect`; that of Option and Result takes a text.
        let said = match tokens.get(open + 1).map(|token| &token.kind) {
            Some(Kind::Literal(text)) => Some(text.split_whitespace().count()),
            _ => None,
        };
        let own = name.starts_with("expect") && said.is_none();
        if own || said.is_some_and(|words| words >= EXPLAINED) || commented(source, token.line) {
            continue;
        }
        let words =
            format!("`{name}` outside tests: return a fault, or say why it cannot happen (text or comment)");
        complaints.push(Complaint::at(&source.path, token.line, words));
    }
    complaints
}

/// Windows are cut in one place, so that no two ways of measuring can come to differ.
fn cut_elsewhere(source: &Source) -> Vec<Complaint> {
    let path = source.path.as_str();
    if path.starts_with("results/src/") || path == "results/measure/src/cutting.rs" || !path.contains("/src/")
    {
        return Vec::new();
    }
    let rules = source.tokens.iter().filter(|token| token.is("CutRules"));
    let words = "only `cutting.rs` of the measure crate cuts windows: ask it";
    rules.map(|token| Complaint::at(path, token.line, words)).collect()
}

#[test]
fn windows_are_cut_in_one_place() {
    none(sources().iter().flat_map(cut_elsewhere).collect());
    let found =
        |path: &str| cut_elsewhere(&Source::new(path, "use farmjank_results::cut_rules::CutRules;")).len();
    assert_eq!(found("runner/cli/src/commands/analyze.rs"), 1);
    assert_eq!(found("results/measure/src/weigh.rs"), 1);
    assert_eq!(found("results/measure/src/cutting.rs"), 0);
}

/// A comment on the line or on the one above it.
fn commented(source: &Source, line: usize) -> bool {
    [line, line.wrapping_sub(1)].into_iter().any(|line| source.line(line).contains("// "))
}

fn unordered(source: &Source) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for at in 0..source.tokens.len() {
        let [Some(name), Some(mark), Some(open)] = after(&source.tokens, at) else { continue };
        let is_select = name.is("select") && mark.is_mark('!') && matches!(open.kind, Kind::Open(_));
        if is_select && !source.tokens.get(at + 3).is_some_and(|first| first.is("biased")) {
            let words = "begin this `select!` with `biased;`: without it ties break differently every run";
            complaints.push(Complaint::at(&source.path, name.line, words));
        }
    }
    complaints
}

fn left_out(source: &Source) -> Vec<Complaint> {
    let ignores =
        |(from, to): &(usize, usize)| source.tokens[*from..=*to].iter().any(|token| token.is("ignore"));
    let all = attributes(&source.tokens).into_iter().filter(ignores);
    let words =
        "run this test, or delete it: slow work belongs in benches, missing tools print why they skip";
    all.map(|(from, _)| Complaint::at(&source.path, source.tokens[from].line, words)).collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    none(sources().iter().filter_map(headless).collect());
}

/// A function others call whose error is a bare sentence: nobody can decide on one but by its words.
fn speechless(source: &Source) -> Vec<Complaint> {
    let tokens = &source.tokens;
    let mut complaints = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is("pub") && source.ships(tokens[*at].line)) {
        let ends = |token: &Token| token.kind == Kind::Open('{') || token.is_mark(';');
        let Some(length) = tokens[at..].iter().position(ends) else { continue };
        let item = &tokens[at..at + length];
        let arrow = |two: &[Token]| two[0].is_mark('-') && two[1].is_mark('>');
        let returns = item.windows(2).rposition(arrow).and_then(|arrow| item.get(arrow + 2));
        let ends_so = matches!(item, [.., comma, word, close] if comma.is_mark(',') && word.is("String") && close.is_mark('>'));
        if item.iter().any(|token| token.is("fn")) && returns.is_some_and(|word| word.is("Result")) && ends_so
        {
            let words =
                "give this error a type: an enum where somebody decides on it, with its words by `thiserror`";
            complaints.push(Complaint::at(&source.path, tokens[at].line, words));
        }
    }
    complaints
}

#[test]
fn errors_that_leave_a_module_have_a_type() {
    none(sources().iter().filter(|source| source.path.contains("/src/")).flat_map(speechless).collect());
}

/// Crates whose examples are elsewhere: tests, and what is used from Python, whose examples `.ci/python` runs.
const SHOWN_ELSEWHERE: [&str; 2] = ["tests/src/lib.rs", "runner/python/src/lib.rs"];

/// A crate that shows nobody how it is used. Examples run as tests.
fn without_example(source: &Source) -> Option<Complaint> {
    let root = source.path.ends_with("/src/lib.rs") && !SHOWN_ELSEWHERE.contains(&source.path.as_str());
    let shown = source.text.contains("//! ```\n//! use ");
    (root && !shown).then(|| Complaint::at(&source.path, 1, "begin the crate with an example that runs"))
}

#[test]
fn every_crate_begins_with_an_example() {
    none(sources().iter().filter_map(without_example).collect());
}

#[test]
fn what_may_panic_says_why_it_cannot() {
    none(sources().iter().flat_map(unexplained).collect());
}

#[test]
fn every_select_has_an_order() {
    none(sources().iter().flat_map(unordered).collect());
}

#[test]
fn no_test_is_left_out() {
    none(sources().iter().flat_map(left_out).collect());
}

#[test]
fn each_rule_of_writing_can_be_broken() {
    let source = |text: &str| Source::new("a/src/a.rs", text);
    assert!(headless(&source("use a;")).is_some() && headless(&source("//! Purpose.")).is_none());
    let root = |text: &str| without_example(&Source::new("a/src/lib.rs", text)).is_some();
    assert!(root("//! Purpose.") && !root("//! Purpose.\n//!\n//! ```\n//! use a::b;\n//! ```"));
    let panics = "fn f() {\n a.unwrap();\n b.expect(\"b\");\n c.expect(\"c is set by new\");\n // never empty\n d.unwrap();\n \
                  e.expect(Token::End);\n panic!();\n unreachable!(\"no phone is both\");\n x.unwrap_or(1);\n}\n\
                  #[cfg(test)]\nmod tests { fn g() { a.unwrap(); } }";
    assert_eq!(unexplained(&source(panics)).len(), 3);
    assert_eq!(unexplained(&Source::new("a/tests/a.rs", panics)).len(), 0);
    let errors = "pub fn a(b: &str) -> Result<u8, String> {}\nfn c() -> Result<u8, String> {}\n\
                  pub fn d() -> BTreeMap<u8, String> {}\npub(crate) async fn e(f: fn() -> u8) -> Result<Vec<u8>, String> {}";
    assert_eq!(speechless(&source(errors)).len(), 2);
    assert_eq!(
        unordered(&source("fn f() { select! { biased; x => 1 } tokio::select! { x => 1 } }")).len(),
        1
    );
    assert_eq!(left_out(&source("#[test]\n#[ignore = \"slow\"]\nfn f() {}")).len(), 1);
}
