//! What the documents must say: each kind of event and each of its keys.

use super::root;
use std::fs;

#[test]
fn the_formats_document_names_every_kind_of_event_and_every_key() {
    let formats = fs::read_to_string(root().join("docs/formats.md")).expect("docs/formats.md");
    for kind in &yatsu_hook::model::ledger::KINDS {
        let name = kind.name.split(' ').next_back().unwrap_or_default();
        assert!(formats.contains(&format!("**{name}**")), "docs/formats.md does not say what {} is", kind.name);
        for key in kind.keys {
            let said = formats.contains(&format!("`{key}`")) || formats.contains(&format!("\"{key}\":"));
            assert!(said, "docs/formats.md does not name the key {key} of {}", kind.name);
        }
    }
}
