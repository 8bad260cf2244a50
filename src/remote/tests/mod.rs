//! The promises of every engine, tested with one suite. A new engine needs one more test like
//! `a_shared_directory_conforms`.

mod conformance;
pub(crate) mod hands;
mod liar;

use super::*;
pub(super) use conformance::conforms;

#[test]
fn a_month_has_one_spelling() {
    assert_eq!(Month::parse("2026-11").unwrap().to_string(), "2026-11");
    for wrong in ["2026-13", "2026-00", "2026-1", "26-11", "2026/11", "2026-11-01", "+026-11", "", "2026-١١"] {
        assert!(Month::parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Month::parse("2027-01").unwrap().since(Month::parse("2026-11").unwrap()), 2);
}

#[test]
fn a_shared_directory_conforms() {
    conforms(&|| {
        let shared = tempfile::tempdir().unwrap();
        Box::new(move || Box::new(Directory::new(shared.path().to_owned())))
    });
}
