//! Any text as a file of another tool: bounded, and never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::imports::model::feature_file::read;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let library = ["cli".to_owned()];
    if let Ok(file) = read(text, &library) {
        assert!((1..=500).contains(&file.scenarios.len()));
        for scenario in &file.scenarios {
            assert!(!scenario.name.trim().is_empty() && !scenario.name.contains(['\n', '\t', '\u{2028}']));
            assert!(scenario.tags.iter().all(|tag| library.contains(tag)));
            let texts = [&scenario.description, &scenario.expected];
            assert!(texts.into_iter().flatten().all(|text| !text.trim().is_empty()));
        }
    }
});
