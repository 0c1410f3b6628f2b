//! When a request is tried again: what a system asks for, and how long to wait where it asks for nothing.

use crate::exchange::Answer;
use std::time::Duration;

/// How long to wait after this attempt (from 1), where the system does not say: 1 s, 2 s, 4 s, 8 s.
pub fn pause(attempt: u32) -> Duration {
    Duration::from_secs(1 << attempt.saturating_sub(1).min(3))
}

/// Whether a refusal is one of too many requests, and of nothing else.
pub fn is_limit(answer: &Answer) -> bool {
    answer.status == 429
        || answer.header("retry-after").is_some()
        || answer.header("x-ratelimit-remaining").is_some_and(|left| left.trim() == "0")
}

/// How long a system asks to wait, s; `now` is in seconds since 1970.
pub fn asked_wait(answer: &Answer, now: i64) -> Option<i64> {
    let number = |name: &str| answer.header(name)?.trim().parse::<i64>().ok();
    let until = || number("x-ratelimit-reset").or_else(|| number("ratelimit-reset"));
    let wait = number("retry-after").or_else(|| Some(until()?.saturating_sub(now)))?;
    Some(wait.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Answer {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Answer { status, headers, body: Vec::new() }
    }

    #[test]
    fn a_limit_is_told_from_a_refusal_and_says_how_long() {
        for (answer, limit, wait) in [
            (answer(429, &[]), true, None),
            (answer(403, &[]), false, None),
            (answer(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "160")]), true, Some(60)),
            (answer(403, &[("x-ratelimit-remaining", "12"), ("x-ratelimit-reset", "160")]), false, Some(60)),
            (answer(503, &[("retry-after", " 3 ")]), true, Some(3)),
            (answer(429, &[("retry-after", "-3")]), true, Some(0)),
            (answer(429, &[("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT")]), true, None),
        ] {
            assert_eq!((is_limit(&answer), asked_wait(&answer, 100)), (limit, wait), "{answer:?}");
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let pauses: Vec<u64> = [0, 1, 2, 3, 4, 5, 99].map(|attempt| pause(attempt).as_secs()).to_vec();
        assert_eq!(pauses, [1, 1, 2, 4, 8, 8, 8]);
    }
}
