//! Facts without secrets: whoever hears of one, a reporter, the record or the history, hears none.

use farmjank_leaf::mask::Mask;
use farmjank_results::event::Fact;
use serde_json::Value;

/// The fact with every secret in its texts blacked out; none where that leaves no fact.
pub(crate) fn masked(mask: &Mask, fact: &Fact) -> Option<Fact> {
    let mut value = serde_json::to_value(fact).ok()?;
    black_out(mask, &mut value);
    serde_json::from_value(value).ok()
}

fn black_out(mask: &Mask, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = mask.text(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| black_out(mask, item)),
        Value::Object(entries) => entries.values_mut().for_each(|value| black_out(mask, value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_keeps_everything_but_the_secret() {
        let mask = Mask::default().and("hunter2-Hunter").unwrap();
        let fact = |what: &str| Fact::Noticed { job: None, what: what.to_owned() };
        assert_eq!(masked(&mask, &fact("a hunter2-Hunter b")), Some(fact("a ************** b")));
        assert_eq!(masked(&mask, &fact("noticed")), Some(fact("noticed")));
    }
}
