//! The shell against a scripted phone, on paused time.

use super::state::{Io, Shell};
use super::stream::{Sink, Source};
use super::{Job, Programs, Said};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// A phone with three programs and `/proc/uptime`.
#[derive(Default)]
struct Scripted {
    files: RefCell<BTreeMap<String, Vec<u8>>>,
    pids: Cell<u32>,
}

impl Programs for Scripted {
    fn start(&self, argv: &[String]) -> Option<Job> {
        let said = match argv[0].as_str() {
            "dumpsys" => {
                Said { out: b"16666666\n1\t2\t3\n4\t5\t6\n".to_vec(), err: b"note\n".to_vec(), status: 0 }
            }
            "args" => Said {
                out: argv[1..].iter().map(|a| format!("<{a}>")).collect::<String>().into_bytes(),
                ..Said::default()
            },
            "fail" => Said { status: 5, ..Said::default() },
            _ => return None,
        };
        Some(Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            said
        }))
    }
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        if path == "/proc/uptime" {
            return Some(b"12345.67 99999.10\n".to_vec());
        }
        self.files.borrow().get(path).cloned()
    }
    fn writable(&self, path: &str) -> bool {
        path.starts_with("/data/local/tmp/")
    }
    fn write(&self, path: &str, bytes: Vec<u8>) {
        self.files.borrow_mut().insert(path.to_owned(), bytes);
    }
    fn append(&self, path: &str, bytes: &[u8]) {
        self.files.borrow_mut().entry(path.to_owned()).or_default().extend_from_slice(bytes);
    }
    fn remove(&self, path: &str) -> bool {
        self.files.borrow_mut().remove(path).is_some()
    }
    fn files_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        self.files.borrow().keys().filter(|path| path.starts_with(&prefix)).cloned().collect()
    }
    fn wall_ns(&self) -> i64 {
        1_700_000_000_123_456_789
    }
    fn next_pid(&self) -> u32 {
        self.pids.set(self.pids.get() + 1);
        4000 + self.pids.get()
    }
}

/// Output, error output, status, and how long it took in ms of lab time.
fn sh_with(text: &str, input: &[u8]) -> (String, String, i32, u128) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let (out, err) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
        let io = Io {
            input: Source::of(input.to_vec()),
            out: Sink::Capture(out.clone()),
            err: Sink::Capture(err.clone()),
        };
        let from = tokio::time::Instant::now();
        let status = Shell::new(Rc::new(Scripted::default()), io).run(text).await;
        let text = |bytes: &RefCell<Vec<u8>>| String::from_utf8_lossy(&bytes.borrow()).into_owned();
        (text(&out), text(&err), status, from.elapsed().as_millis())
    })
}

fn sh(text: &str) -> (String, String, i32) {
    let (out, err, status, _) = sh_with(text, b"");
    (out, err, status)
}

#[track_caller]
fn prints(text: &str, expected: &str) {
    assert_eq!(sh(text), (expected.to_owned(), String::new(), 0), "{text}");
}

#[test]
fn words_are_split_and_quoted_as_mksh_does() {
    prints("echo a  'b  c' \"d  e\" f\\ g", "a b  c d  e f g\n");
    prints("x='1 2'; args $x \"$x\" '$x' \\$x ${x}3", "<1><2><1 2><$x><$x><1><23>");
    prints("args \"\" '' $nothing a\"b\"'c' # comment", "<><><abc>");
    prints("echo \"a\\\"b\\$c\\\\d\\e\" | cat", "a\"b$c\\d\u{1b}\n");
    prints("args 'a;b' 'a&b' '`x`' '$(x)' 'new\nline'", "<a;b><a&b><`x`><$(x)><new\nline>");
    prints("args a*b '*' /data/local/tmp/*", "<a*b><*></data/local/tmp/*>");
    prints(
        "cd /data/local/tmp; echo 1 > b.txt; echo 2 > a.txt; echo /data/local/tmp/*.txt",
        "/data/local/tmp/a.txt /data/local/tmp/b.txt\n",
    );
}

#[test]
fn lists_and_their_statuses_come_out_as_in_mksh() {
    prints("true && echo yes || echo no; false && echo yes || echo no", "yes\nno\n");
    prints("! false && echo negated", "negated\n");
    prints("false; s=$?; echo $s; (exit 3); s=$? t=$?; echo $s$t$?; x=$(exit 4); echo $?", "1\n330\n4\n");
    assert_eq!(sh("fail"), (String::new(), String::new(), 5));
    prints("fail; echo $?", "5\n");
    assert_eq!(sh("exit 7; echo never").2, 7);
    prints("(exit 3); echo $?; { echo a; echo b; } | wc -l", "3\n2\n");
    prints("x=$(fail); echo $?; y=1 z=2; echo $y$z$?", "5\n120\n");
    prints("fail | true; echo $?; true | fail || echo $?", "0\n5\n");
}

#[test]
fn unknown_programs_answer_as_a_phone_does() {
    let (out, err, status) = sh("nosuch -x; echo after");
    assert_eq!((out.as_str(), status), ("after\n", 0));
    assert_eq!(err, "/system/bin/sh: nosuch: inaccessible or not found\n");
    assert_eq!(sh("nosuch").2, 127);
}

#[test]
fn syntax_errors_are_worded_as_mksh_words_them() {
    for (text, complaint) in [
        ("echo a; done", "syntax error: unexpected 'done'"),
        ("if true; then echo a", "syntax error: unmatched 'if'"),
        ("echo 'a", "no closing quote"),
        ("while true; do echo", "syntax error: unmatched 'while'"),
        ("(echo a", "syntax error: unmatched '('"),
        ("a && ; b", "syntax error: unexpected ';'"),
        ("echo a | ", "syntax error: unexpected EOF"),
        (")", "syntax error: unexpected ')'"),
        ("echo x (a)", "syntax error: unexpected '('"),
        ("echo ${x!y}", "${x!y}: bad substitution"),
    ] {
        let (_, err, status) = sh(text);
        assert_eq!((err.as_str(), status), (format!("/system/bin/sh: {complaint}\n").as_str(), 1), "{text}");
    }
    let (out, _, status) = sh("echo first\nfi\necho never");
    assert_eq!((out.as_str(), status), ("first\n", 1), "lines before the error have run");
}

#[test]
fn redirections_lead_where_they_say() {
    prints("read up _ < /proc/uptime; echo $up", "12345.67\n");
    prints("dumpsys 2>/dev/null | head -1", "16666666\n");
    prints("dumpsys 2>&1 >/dev/null", "note\n");
    prints("echo a > /data/local/tmp/f; echo b >> /data/local/tmp/f; cat < /data/local/tmp/f", "a\nb\n");
    prints("{ echo a; echo b >&2; } 2>&1 | tr a-z A-Z", "A\nB\n");
    prints("cat <<EOF; echo after\nx $((1+1))\nEOF\necho end", "x 2\nafter\nend\n");
    prints("cat <<< 'here it is'", "here it is\n");
    let (_, err, status) = sh("cat < /nosuch");
    assert_eq!(
        (err.as_str(), status),
        ("/system/bin/sh: can't open /nosuch: No such file or directory\n", 1)
    );
    assert_eq!(sh("echo x > /system/x").2, 1);
}

#[test]
fn loops_and_conditions_run_as_often_as_in_mksh() {
    prints("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n");
    prints("i=0; until test $i = 2; do i=$((i + 1)); done; echo $i", "2\n");
    prints("for x in a 'b c' $(echo d e); do args $x; [ \"$x\" = d ] && break; done; echo", "<a><b><c><d>\n");
    prints(
        "for i in 1 2 3; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done",
        "11\n21\n31\n",
    );
    prints("if false; then echo a; elif [ -n x ]; then echo b; else echo c; fi", "b\n");
    prints("case foo.txt in *.png) echo p;; f*|g*) echo f;; *) echo other;; esac", "f\n");
    prints("f() { echo $1-$#; return 4; echo never; }; f a b; echo $?", "a-2\n4\n");
    prints("printf 'a b\\nc\\n' | while read x y; do echo \"$y,$x\"; done", "b,a\n,c\n");
    prints("while read -r l; do echo \"[$l]\"; done < /proc/uptime", "[12345.67 99999.10]\n");
    prints("[ -f /proc/uptime ] && [ ! -e /nosuch ] && [ 1 -le 2 -a x != y ] && echo ok", "ok\n");
}

#[test]
fn time_passes_where_it_does_on_a_phone() {
    let (out, _, _, ms) = sh_with("for i in 1 2 3; do echo $i; sleep 0.5; done", b"");
    assert_eq!((out.as_str(), ms), ("1\n2\n3\n", 1500));
    assert_eq!(sh_with("dumpsys", b"").3, 20);
    let (out, _, status, ms) = sh_with("timeout 2 sleep 100; echo $?", b"");
    assert_eq!((out.as_str(), status), ("124\n", 0));
    assert!((2000..2010).contains(&ms), "{ms}");
    let (_, _, _, ms) = sh_with("timeout 1 sh -c 'while :; do :; done'", b"");
    assert!((1000..1010).contains(&ms), "a busy loop must let time pass: {ms}");
}

#[test]
fn jobs_run_beside_the_shell() {
    let (out, _, _, ms) = sh_with("sleep 1 & p=$!; sleep 0.2; echo a; wait $p; echo b", b"");
    assert_eq!((out.as_str(), ms), ("a\nb\n", 1000));
    prints("sleep 100 & kill $!; wait $!; echo $?", "143\n");
    prints("trap 'echo bye' EXIT; echo hello; exit 0", "hello\nbye\n");
    prints(
        "(while :; do echo x; sleep 0.1; done) > /data/local/tmp/log & sleep 0.35; kill $!; wc -l < /data/local/tmp/log",
        "4\n",
    );
}

#[test]
fn pipes_end_their_writers() {
    let (out, _, _, ms) = sh_with("while :; do echo y; done | head -n 2", b"");
    assert_eq!(out, "y\ny\n");
    assert!(ms < 100, "{ms}");
    prints("seq 100000 | tail -n 1", "100000\n");
}

#[test]
fn filters_print_what_toybox_prints() {
    let input = "alpha 1\nbeta 22\nalpha 3\n";
    let run = |text: &str| sh_with(text, input.as_bytes()).0;
    assert_eq!(run("grep alpha"), "alpha 1\nalpha 3\n");
    assert_eq!(run("grep -c alpha"), "2\n");
    assert_eq!(run("grep -v -m 1 alpha"), "beta 22\n");
    assert_eq!(run("grep -E '^(al|be).* [0-9]{2}$'"), "beta 22\n");
    assert_eq!(run("grep 'al.ha [[:digit:]]'"), "alpha 1\nalpha 3\n");
    assert_eq!(run("grep -i -F BETA"), "beta 22\n");
    assert_eq!(run("grep -o '[0-9]*2'"), "22\n");
    assert_eq!(run("grep -A 1 'alpha 1'"), "alpha 1\nbeta 22\n");
    assert_eq!(run("grep -n -B 1 beta"), "1-alpha 1\n2:beta 22\n");
    assert_eq!(run("grep -C1 beta"), "alpha 1\nbeta 22\nalpha 3\n");
    assert_eq!(run("cut -d ' ' -f 2"), "1\n22\n3\n");
    assert_eq!(run("cut -c 1-3 | sort -u"), "alp\nbet\n");
    assert_eq!(run("sort -r | head -n1"), "beta 22\n");
    assert_eq!(run("cut -d' ' -f1 | sort | uniq -c"), "      2 alpha\n      1 beta\n");
    assert_eq!(run("sed 's/\\([a-z]*\\) \\([0-9]\\)/\\2:\\1/'"), "1:alpha\n2:beta2\n3:alpha\n");
    assert_eq!(run("sed -n 2p"), "beta 22\n");
    assert_eq!(run("sed -E 's/a|b/_/g'"), "_lph_ 1\n_et_ 22\n_lph_ 3\n");
    assert_eq!(run("wc -l"), "3\n");
    assert_eq!(run("tail -n +2 | tr -d '0-9 '"), "beta\nalpha\n");
    assert_eq!(run("tee /data/local/tmp/copy | tail -1; cat /data/local/tmp/copy | wc -c"), "alpha 3\n24\n");
    assert_eq!(run("head -c 5"), "alpha");
    assert_eq!(run("date +%s.%N"), "1700000000.123456789\n");
}

#[test]
fn filters_refuse_what_they_do_not_do() {
    assert_eq!(sh("sed 'y/a/b/'"), (String::new(), "sed: bad pattern 'y/a/b/'@1 (y)\n".to_owned(), 1));
    assert_eq!(
        sh("head -z"),
        (String::new(), "head: Unknown option 'z' (see \"head --help\")\n".to_owned(), 1)
    );
    assert_eq!(sh("cat /nosuch"), (String::new(), "cat: /nosuch: No such file or directory\n".to_owned(), 1));
    assert_eq!(sh("grep x < /dev/null").2, 1);
    assert_eq!(sh("grep '\\(' < /dev/null").2, 2);
    assert_eq!(sh("rm /data/local/tmp/nosuch").2, 1);
    assert_eq!(sh("rm -f /data/local/tmp/nosuch").2, 0);
}

#[test]
fn deep_nesting_is_refused() {
    let (_, err, status) = sh(&"(".repeat(100_000));
    assert_eq!((err.as_str(), status), ("/system/bin/sh: syntax error: nested too deeply\n", 1));
    assert_eq!(sh("f() { f; }; f").2, 1);
    assert_eq!(sh(&format!("echo {}1{}", "$(echo ".repeat(200), ")".repeat(200))).2, 1);
    assert_eq!(sh(&format!("echo $(({}1{}))", "(".repeat(5000), ")".repeat(5000))).2, 1);
}

/// What a careful runner does to text before it sends it.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn parsing_anything_neither_panics_nor_hangs(text in "\\PC{0,60}") {
        super::parser::parse(&text);
    }

    #[test]
    fn parsing_shell_like_text_neither_panics_nor_hangs(
        text in proptest::collection::vec(proptest::sample::select(vec![
            "if ", "then ", "fi", "do ", "done", "while ", "for x in ", "case x in ", "esac", "(", ")", "{ ", "}", ";", ";;", "&",
            "&&", "||", "|", "\n", "'", "\"", "`", "$", "${", "$(", "$((", "))", "<", ">", "<<", ">&", "2", "a", "=", "\\", "#", " ", "*", "-", "!",
        ]), 0..25)
    ) {
        super::parser::parse(&text.concat());
    }

    #[test]
    fn quoted_text_arrives_whole(text in "[^\\x00]{0,40}") {
        let (out, err, status, _) = sh_with(&format!("printf %s {}", quote(&text)), b"");
        prop_assert_eq!((out, err, status), (text, String::new(), 0));
    }

    #[test]
    fn echo_prints_quoted_text_without_backslashes(text in "[^\\x00\\\\-][^\\x00\\\\]{0,40}") {
        let (out, ..) = sh_with(&format!("echo {}", quote(&text)), b"");
        prop_assert_eq!(out, format!("{text}\n"));
    }
}
