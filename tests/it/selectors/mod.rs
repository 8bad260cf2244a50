//! Selectors `path#symbol`, through the program and git: what stays fresh, what becomes stale, the messages, and the
//! behaviour of each door.

#[cfg(feature = "units")]
mod brief;
mod doors;
#[cfg(feature = "units")]
#[cfg(feature = "units")]
mod story;
#[cfg(not(feature = "units"))]
mod without;

use crate::support::{Scratch, scenarios, validate_published};

/// A scenario `works` of the node `n` that governs `code`.
fn declare(s: &Scratch, code: &str) {
    s.write(".spec/n/yatsu.md", scenarios(&[("works", code)]));
}

/// `files`, committed with a scenario that governs `code`, and measured with the stamp.
fn measured(code: &str, files: &[(&str, &str)]) -> Scratch {
    let s = Scratch::new();
    files.iter().for_each(|(path, text)| s.write(path, text));
    declare(&s, code);
    s.commit("begin");
    s.yatsu(&["eval", "n", "--scenario", "works", "--pass"]).expect(0);
    s.commit("measured");
    s
}

/// The state of the reading of `works`: `fresh`, or the moved paths with the reason if they were not narrowed.
fn standing(s: &Scratch) -> String {
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let reading = &json["scenarios"][0]["readings"][0];
    let moved = |item: &serde_json::Value| {
        let symbol = item["symbol"].as_str().map(|symbol| format!("#{symbol}")).unwrap_or_default();
        let why = item["why"].as_str().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{}{symbol}{why}", item["path"].as_str().expect("a path"))
    };
    match reading["state"].as_str().expect("a state") {
        "stale" => reading["drift"].as_array().expect("a list").iter().map(moved).collect::<Vec<_>>().join(", "),
        state => state.to_owned(),
    }
}
