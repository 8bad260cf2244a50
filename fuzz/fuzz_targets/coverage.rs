//! Any bytes as a coverage file. The first byte chooses the reader, so that each of the five is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::coverage::model::reports::{Format, Lines, read};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let begin: &[u8] = match Format::ALL.get(usize::from(*choice)) {
        Some(Format::Lcov) => b"TN:\nSF:a\n",
        Some(Format::Cobertura) => b"<coverage><packages><package><classes>",
        Some(Format::CoveragePy) => b"{\"meta\":{},\"files\":{",
        Some(Format::Istanbul) => b"{\"a\":{\"path\":\"a\",\"statementMap\":{",
        Some(Format::Go) => b"mode: set\n",
        None => b"",
    };
    let Ok(coverage) = read(&[begin, rest][..].concat()[..], &[]) else { return };
    for file in &coverage.files {
        let whole = &file.activity[0];
        assert_eq!(whole.context, None);
        assert!(file.functions.as_ref().map_or(0, Lines::count) >= whole.functions.count());
        let ends: Vec<u32> = whole.lines.ranges().flat_map(|range| [*range.start(), *range.end()]).collect();
        assert!(ends.is_sorted(), "{ends:?}");
        for own in &file.activity[1..] {
            assert!(own.context.is_some_and(|index| (index as usize) < coverage.contexts.len()));
            assert!(own.functions.ranges().all(|range| whole.functions.meet(range)));
            assert!(own.lines.ranges().all(|range| whole.lines.meet(range)));
        }
    }
});
