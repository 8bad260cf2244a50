//! A program without parsers compares whole files, and says so.

use super::{measured, standing};

#[test]
fn every_selector_is_its_whole_file() {
    let s = measured("src/a.ts#f", &[("src/a.ts", "function f() {}\n")]);
    assert_eq!(standing(&s), "fresh");
    assert!(!s.read(".spec/n/yatsu.evals.ndjson").contains("\"units\""));
    s.write("src/a.ts", "\nfunction f() {}\n");
    assert_eq!(standing(&s), "src/a.ts#f (this program was built without parsers)");
}
