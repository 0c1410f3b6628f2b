//! What each chat is sent for one run full of names that mean something to chats. `FARMJANK_BLESS=1` writes the files
//! anew.
#![allow(clippy::disallowed_methods, reason = "golden files are files")]

use farmjank_notify::chats::{Chat, Told};
use farmjank_notify::message::Message;
use farmjank_notify::news::{CellSeen, News, RunSeen, news};
use farmjank_requests::Request;
use farmjank_results::verdict::Verdict;
use std::path::PathBuf;

/// What a scenario, a window or a phone might call itself.
const HOSTILE: &str =
    "*a* _b_ ~c~ `d` [e](https://evil.example) <!channel> <@U1> <at>all</at> @all &amp; \u{202e}x\n\"y\" # z";

fn cell(window: &str, verdict: Verdict) -> CellSeen {
    CellSeen {
        scenario: "Home feed".to_owned(),
        window: window.to_owned(),
        serial: "R58N30ABCDE".to_owned(),
        phone: "SM-A146P (R58N30ABCDE)".to_owned(),
        verdict: Some(verdict),
        why: if verdict == Verdict::Pass {
            String::new()
        } else {
            "hitch_ms_per_s is 42.1 ms/s, limit mean < 10".to_owned()
        },
    }
}

fn run(id: &str, cells: Vec<CellSeen>) -> RunSeen {
    RunSeen {
        run: id.to_owned(),
        verdict: Some(Verdict::Fail),
        exit_code: Some(1),
        counts: "2 failed, 1 passed".to_owned(),
        cells,
        ..RunSeen::default()
    }
}

fn told() -> (RunSeen, News) {
    let before = run(
        "20260228-013000-5eed01",
        vec![
            cell("fling the feed", Verdict::Pass),
            cell("open a product", Verdict::Fail),
            cell(HOSTILE, Verdict::Pass),
        ],
    );
    let before = RunSeen { causes: Some([].into()), ..before };
    let mut now = run(
        "20260301-013000-5eed02",
        vec![
            cell("fling the feed", Verdict::Fail),
            cell("open a product", Verdict::Pass),
            cell(HOSTILE, Verdict::Fail),
        ],
    );
    now.causes = Some(
        [("9c1f5a0e4b7d2368".to_owned(), format!("main waits for a lock held by \"{HOSTILE}\""))].into(),
    );
    now.lost = [("9A231FFAZ00CX4".to_owned(), "it is offline".to_owned())].into();
    let news = news(Some(&before), &now);
    (now, news)
}

fn requested(chat: Chat, run: &RunSeen, news: &News) -> Request {
    let message = Message::of(run, news, Some("https://ci.acme.com/job/812"));
    let told = Told { run, news, message: &message, millis: 1_599_360_473_000 };
    chat.request(&told, "hook?access_token=t0", Some("demo"))
}

#[test]
fn what_each_chat_is_sent_is_as_kept() {
    let (run, news) = told();
    for chat in Chat::ALL {
        let request = requested(chat, &run, &news);
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        let body = serde_json::to_string_pretty(&request.body).expect("JSON");
        let actual = format!("POST {}\n{}\n{body}\n", request.path, headers.concat());
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/goldens")
            .join(format!("{}.txt", chat.word()));
        if std::env::var_os("FARMJANK_BLESS").is_some() {
            std::fs::write(&path, &actual).expect("a golden");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == actual,
            "{} differs; FARMJANK_BLESS=1 writes it anew; got:\n{actual}",
            path.display()
        );
    }
}

#[test]
fn nothing_that_is_sent_is_longer_than_the_chat_takes_whatever_phones_are_called() {
    for hostile in ["<&>".repeat(400), "\u{1F4A5}".repeat(400), "\u{202e}".repeat(400), HOSTILE.repeat(9)] {
        let cells: Vec<CellSeen> = (0..500)
            .map(|nth| CellSeen {
                window: format!("{nth}{hostile}"),
                phone: hostile.clone(),
                why: hostile.clone(),
                ..cell("x", [Verdict::Fail, Verdict::Broken][nth % 2])
            })
            .collect();
        let run = RunSeen {
            counts: hostile.clone(),
            lab: Some(hostile.clone()),
            lost: (0..200).map(|nth| (format!("{nth}{hostile}"), hostile.clone())).collect(),
            ..run(&hostile, cells)
        };
        let news = news(None, &run);
        for chat in [Chat::Slack, Chat::Teams, Chat::Feishu, Chat::DingTalk] {
            let body = requested(chat, &run, &news).body.expect("a body");
            assert!(body.to_string().len() <= 24_000, "{}: {}", chat.word(), body.to_string().len());
            assert!(body.to_string().contains("more"), "{}: what is left out is counted", chat.word());
            if chat == Chat::Slack {
                for block in body["blocks"].as_array().expect("blocks") {
                    let text = block["text"]["text"].as_str().unwrap_or_default();
                    assert!(text.chars().count() <= 3_000, "{}", text.chars().count());
                }
                assert!(
                    body["blocks"][0]["text"]["text"]
                        .as_str()
                        .is_some_and(|text| text.chars().count() <= 150)
                );
            }
        }
        assert!(requested(Chat::Webhook, &run, &news).body.expect("a body").to_string().len() < 4_000_000);
    }
}
