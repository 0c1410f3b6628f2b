//! The phones a run was allowed to go without: a suite of its own, one skipped case each. A case that is not there at
//! all is one that nobody misses.

use super::naming::unique;
use crate::absent::{TITLE, sentence};
use crate::clean::{NAME, SENTENCE, xml_attribute};
use farmjank_results::cells::slug;
use farmjank_results::record::Record;
use quick_junit::{TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The suite; none where no phone is missing.
pub(super) fn suite(record: &Record) -> Option<TestSuite> {
    let all: Vec<_> = record.allowed_missing().collect();
    let mut suite = TestSuite::new(TITLE);
    suite.set_time(Duration::ZERO);
    let names = unique(all.iter().map(|one| (xml_attribute(&one.device.0, NAME), one.device.0.clone())));
    for (one, name) in all.iter().zip(names) {
        let mut status = TestCaseStatus::skipped();
        status.set_type(format!("infra.{}", slug(one.fault.code.word())));
        status.set_message(xml_attribute(&sentence(one), SENTENCE).as_str());
        let mut case = TestCase::new(name.as_str(), status);
        case.set_classname(TITLE);
        case.set_time(Duration::ZERO);
        suite.add_test_case(case);
    }
    (!all.is_empty()).then_some(suite)
}
