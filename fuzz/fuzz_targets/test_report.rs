//! Any bytes as a report of tests, or as a map of one: bounded, and never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::imports::model::test_report::{ctrf, junit, map, promptfoo};
use yatsu_hook::text::secrets::mask;

fuzz_target!(|bytes: &[u8]| {
    for report in [junit::parse(bytes), ctrf::parse(bytes), promptfoo::parse(bytes)].into_iter().flatten() {
        // a case takes at least a tag or an object
        assert!(report.cases.len() <= bytes.len());
        // what is around a suite stands before it, so that no walk outwards goes round
        assert!(report.suites.iter().enumerate().all(|(at, suite)| suite.around.is_none_or(|around| around < at)));
        assert!(report.cases.iter().all(|case| case.told.iter().all(|(_, text)| !text.trim().is_empty())));
    }
    let _ = map::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let masked = mask(text);
        assert_eq!(masked.count == 0, masked.text == text);
    }
});
