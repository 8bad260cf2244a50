//! `report --pr`: what a range did to the scenarios, as a comment on a pull request.

mod action;
mod bodies;
mod conservation;
mod forge;
mod limits;
mod moves;
mod numbers;
mod pictures;
mod random;

use crate::support::{Said, Scratch, reading, scenarios, validate_published};
use serde_json::Value;

/// A node with these scenarios; each governs the file of its name below `src`.
fn shop(names: &[&str]) -> Scratch {
    let s = Scratch::new();
    names.iter().for_each(|name| s.write(&format!("src/{name}"), "1\n"));
    declare(&s, names);
    s.commit("first");
    s
}

fn declare(s: &Scratch, names: &[&str]) {
    let files: Vec<String> = names.iter().map(|name| format!("src/{name}")).collect();
    let list: Vec<_> = names.iter().zip(&files).map(|(name, file)| (*name, file.as_str())).collect();
    s.write(".spec/shop/yatsu.md", scenarios(&list));
}

/// Changes the governed files of these scenarios.
fn edit(s: &Scratch, names: &[&str]) {
    for name in names {
        let path = format!("src/{name}");
        s.write(&path, s.read(&path) + "more\n");
    }
}

fn measure(s: &Scratch, readings: &[(&str, &str)], minute: u32) {
    for (at, (name, status)) in readings.iter().enumerate() {
        reading(s, ".spec/shop", name, status, minute + at as u32);
    }
}

/// `report --pr` over a range, with more arguments.
fn report(s: &Scratch, from: &str, to: &str, args: &[&str]) -> Said {
    s.yatsu(&[&["report", "--pr", "--from", from, "--to", to], args].concat())
}

/// The plan of a range; the program must exit with the code of `check` over the same range.
#[track_caller]
fn plan(s: &Scratch, from: &str, to: &str, args: &[&str]) -> Value {
    let said = report(s, from, to, &[args, &["--format", "json"]].concat());
    let checked = s.yatsu(&["check", "--from", from, "--to", to, "--format", "json"]);
    assert_eq!(said.code, checked.code, "{}\n{}", said.out, said.err);
    let plan = validate_published(&said.out);
    assert_eq!(plan["verdict"], validate_published(&checked.out)["verdict"]);
    plan
}

/// The named numbers of a plan.
fn numbers<const N: usize>(plan: &Value, names: [&str; N]) -> [u64; N] {
    names.map(|name| plan[name].as_u64().unwrap_or_else(|| panic!("{name}: {plan:#}")))
}

/// The line of a comment that says what the range did.
fn sentence(plan: &Value) -> &str {
    plan["body"].as_str().expect("a body").lines().nth(2).expect("a sentence")
}
