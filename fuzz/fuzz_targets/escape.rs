//! Any bytes, escaped: nothing a terminal would obey is left, and escaping again changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::text::escape::{clip, is_bidi, is_invisible, terminal};

fuzz_target!(|bytes: &[u8]| {
    let shown = terminal(bytes);
    assert!(!shown.chars().any(|c| c.is_control() || is_bidi(c) || is_invisible(c)));
    assert_eq!(terminal(shown.as_ref()), shown);
    assert!(clip(&shown, 80).chars().count() <= 81);
});
