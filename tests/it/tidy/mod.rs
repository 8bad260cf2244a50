//! The checks of the layout: the import matrix, where git, processes, the clock and writing may be used, the length of
//! files, distinct names and arguments, and that every rule is in the table, tested and explained.

mod book;
mod crates;
mod documents;
mod house;
mod messages;
mod modules;
mod needs;
mod riddles;
mod shapes;
mod speech;

use std::fs;
use std::path::PathBuf;

/// The import matrix of ARCHITECTURE.md: a module, and the modules that it may name with `crate::`.
const MAY_SEE: &[(&str, &[&str])] = &[
    ("text", &["text"]),
    ("tree", &["tree", "text", "names", "error"]),
    ("finding", &["text::excerpt", "text::spelled"]),
    ("names", &[]),
    ("sys", &["sys"]),
    ("error", &["text::excerpt", "text::spelled"]),
    ("repo", &["repo", "sys", "tree", "text", "names", "finding", "error"]),
    ("model", &["model", "tree", "text", "names", "finding", "error"]),
    ("engine", &["engine", "model", "tree", "text", "names", "finding", "error"]),
    ("rules", &["rules", "engine", "model", "tree", "names", "finding", "text"]),
    ("report", &["report", "names", "finding", "error", "text"]),
    ("store", &["store", "sys", "tree", "error", "text", "model::ledger"]),
    ("remote", &["remote", "store", "repo", "sys", "tree", "error", "text", "model::ledger"]),
    (
        "app",
        &[
            "app",
            "remote",
            "store",
            "report::view",
            "rules",
            "engine",
            "model",
            "repo",
            "sys",
            "tree",
            "text",
            "names",
            "finding",
            "error",
        ],
    ),
    ("bin", &["cli"]),
    (
        "cli",
        &[
            "cli", "app", "report", "rules", "model", "repo", "sys", "tree", "text", "names", "finding", "error",
            "store",
        ],
    ),
];

/// The files of the core that ask the table of features, each for one column: the only arrows that lead up.
const ASK_THE_TABLE: &[&str] = &[
    "src/app/judge/mod.rs",
    "src/cli/args/filing.rs",
    "src/cli/args/mod.rs",
    "src/cli/extra.rs",
    "src/cli/verbs/mod.rs",
    "src/model/config/feature.rs",
    "src/rules/mod.rs",
];

/// The floors of `app`, lowest first. A room sees the rooms of lower floors, never one of its own floor or above: what two
/// rooms need lies below both. For example `site` finds the node that a command means, for `record` and `query` alike.
const APP_FLOORS: &[&[&str]] =
    &[&["progress", "memo"], &["judge"], &["site"], &["record", "query", "upkeep"], &["doors", "setup"]];

/// A word that only the files under these prefixes may use.
const RESERVED: &[(&str, &[&str])] = &[
    ("git2::", &["src/repo/native/objects", "src/repo/native/text_merge", "src/repo/open"]),
    ("process::Command", &["src/repo/program", "src/sys/"]),
    ("Command::new", &["src/repo/program", "src/sys/", "src/cli/"]),
    ("use clap", &["src/cli/"]),
    ("clap::", &["src/cli/"]),
    ("std::env", &["src/cli/", "src/repo/open/env", "src/repo/program", "src/sys/"]),
    ("env::var", &["src/cli/", "src/repo/open/env", "src/repo/program", "src/sys/time_limit"]),
    ("SystemTime::now", &["src/cli/", "src/sys/"]),
    ("Timestamp::now", &["src/cli/"]),
    ("fs::write", &["src/store/", "src/app/setup/install"]),
    ("File::create", &["src/store/", "src/app/setup/install"]),
    ("OpenOptions", &["src/store/", "src/app/setup/install", "src/sys/"]),
    ("fs::remove", &["src/store/", "src/app/setup/install", "src/sys/"]),
    ("fs::rename", &["src/store/", "src/app/setup/install", "src/sys/"]),
    ("fs::create_dir", &["src/store/", "src/app/setup/install"]),
    ("unsafe {", &["src/sys/unix/whole", "src/sys/windows/calls"]),
    ("allow(unsafe_code)", &["src/sys/unix/whole", "src/sys/windows/calls"]),
    // what differs between systems
    ("rustix::", &["src/sys/"]),
    ("std::os::", &["src/sys/"]),
    ("signal_hook::", &["src/sys/"]),
    ("memmap2::", &["src/sys/"]),
    ("cfg(unix)", &["src/sys/mod"]),
    ("cfg(windows)", &["src/sys/mod"]),
    ("target_os", &["src/sys/"]),
    ("println!", &[]),
    ("unreachable!(", &[]),
];

/// Longest source file in lines, without its unit tests.
const LONGEST: usize = 500;

/// Every page below docs/.
pub fn pages_of_the_book() -> Vec<PathBuf> {
    book::pages(&root().join("docs"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under `dir` with its text, by its path from the top.
fn sources(dir: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![root().join(dir)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let name = entry.strip_prefix(root()).expect("below the top").to_string_lossy().into_owned();
                files.push((name, fs::read_to_string(&entry).expect("a source file")));
            }
        }
    }
    files.sort();
    assert!(files.len() > 5, "too few files under {dir}: the test does not see the sources");
    files
}

/// The text without comments and without its unit tests.
fn code(text: &str) -> String {
    let body = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text);
    body.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test(path: &str) -> bool {
    ["/tests.rs", "/memory.rs", "/fake.rs"].iter().any(|end| path.ends_with(end)) || path.contains("/tests/")
}

#[test]
fn nobody_imports_what_lies_above() {
    let mut wrong = Vec::new();
    for (path, text) in sources("src") {
        let module = path.trim_start_matches("src/").split(['/', '.']).next().unwrap_or_default();
        let Some((_, allowed)) = MAY_SEE.iter().find(|(name, _)| *name == module) else {
            assert!(
                matches!(module, "lib" | "main" | "features"),
                "{path}: a top-level module that the import matrix does not know"
            );
            continue;
        };
        // a feature sees the core; its own order of files is checked below `features`
        if is_test(&path) || module == "features" {
            continue;
        }
        for named in code(&text).split("crate::").skip(1) {
            let seen = allowed.iter().any(|prefix| {
                named
                    .strip_prefix(prefix)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            });
            // its functions alone: no file of the core names a feature
            let asks = named.starts_with("features;") && ASK_THE_TABLE.contains(&path.as_str());
            if !seen && !asks {
                wrong.push(format!("{path}: crate::{}", named.split([';', '(', ' ', '\n']).next().unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the matrix:\n{}", wrong.join("\n"));
}

#[test]
fn a_module_with_children_is_the_mod_file_of_its_directory() {
    let beside = |path: &&String| root().join(path.trim_end_matches(".rs")).is_dir();
    let files: Vec<String> = sources("src").into_iter().map(|(path, _)| path).collect();
    assert_eq!(files.iter().filter(beside).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn a_room_of_app_sees_only_lower_floors() {
    let floor = |path: &[String]| match path {
        [app, room, ..] if app == "app" => APP_FLOORS.iter().position(|rooms| rooms.contains(&room.as_str())),
        _ => None,
    };
    let modules = modules::all();
    for module in modules.iter().filter(|module| module.path.len() > 1 && module.path[0] == "app") {
        assert!(floor(&module.path).is_some(), "{}: a room of `app` that stands on no floor", module.file);
    }
    let mut wrong = Vec::new();
    for (from, seen) in modules::edges(&modules) {
        for to in seen {
            let (lower, upper) = (&modules[to], &modules[from]);
            let (Some(low), Some(high)) = (floor(&lower.path), floor(&upper.path)) else { continue };
            if low >= high && lower.path[1] != upper.path[1] {
                wrong.push(format!("{} sees {}", upper.file, lower.file));
            }
        }
    }
    assert!(wrong.is_empty(), "against the floors of `app`:\n{}", wrong.join("\n"));
}

#[test]
fn reserved_words_stay_where_they_belong() {
    let mut wrong = Vec::new();
    for (path, text) in sources("src").iter().filter(|(path, _)| !is_test(path)) {
        // the verbs of a feature may what `cli` may
        let (_, part) = house::part_of(path).unwrap_or_default();
        let seen_as = if part == "verbs" { format!("src/cli/{path}") } else { path.clone() };
        for (word, homes) in RESERVED {
            if code(text).contains(word) && !homes.iter().any(|home| seen_as.starts_with(home)) {
                wrong.push(format!("{path}: {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "used where it may not be:\n{}", wrong.join("\n"));
}

/// The names of our files, which a single source file spells, because a reader that misses one of them would be a way past
/// the gate.
const OUR_FILES: [&str; 6] = ["spec.md", "yatsu.md", "eval.md", "yatsu.evals.ndjson", "evals.ndjson", "spexcode.json"];

#[test]
fn one_file_alone_spells_the_names_of_our_files() {
    let spelled: Vec<_> = sources("src").into_iter().filter(|(_, text)| spells_a_name(&code(text))).collect();
    // examples for arguments are only text, and open no file
    let opens = |path: &&str| !is_test(path) && !path.starts_with("src/cli/args/");
    let told: Vec<_> = spelled.iter().map(|(path, _)| path.as_str()).filter(opens).collect();
    assert_eq!(told, ["src/names.rs"]);
}

/// Whether a literal is one of our names, or ends in one like a path or a pattern. A sentence may mention one.
fn spells_a_name(code: &str) -> bool {
    OUR_FILES.iter().any(|name| {
        code.match_indices(name).any(|(at, _)| {
            let (before, after) = (&code[..at], &code[at + name.len()..]);
            before.ends_with('"') && after.starts_with('"') || before.ends_with(['/', '*']) || before.ends_with("*.")
        })
    })
}

#[test]
fn no_file_is_too_long() {
    let lines = |text: &str| text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text).lines().count();
    let long: Vec<_> =
        sources("src").into_iter().filter(|(path, text)| !is_test(path) && lines(text) > LONGEST).collect();
    let names: Vec<_> = long.iter().map(|(path, text)| format!("{path}: {}", lines(text))).collect();
    assert!(names.is_empty(), "split these files:\n{}", names.join("\n"));
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent: Vec<_> = sources("src")
        .into_iter()
        .filter(|(path, text)| !is_test(path) && !text.starts_with("//!"))
        .map(|(path, _)| path)
        .collect();
    assert!(silent.is_empty(), "no `//!` at the top of:\n{}", silent.join("\n"));
}

#[test]
fn every_rule_has_its_file_its_row_its_explanation_and_its_test() {
    use yatsu_hook::finding::RuleId;
    let files: Vec<String> = sources("src").into_iter().map(|(path, _)| path).collect();
    for rule in RuleId::ALL {
        let file = rule.as_str().replace('-', "_");
        let homes = [format!("/rules/{file}.rs"), format!("/rules/{file}/mod.rs")];
        let is_home = |path: &String| homes.iter().any(|home| path.ends_with(home));
        assert!(files.iter().any(is_home), "src/rules/{file}.rs is missing, and is in no feature");
        assert!(root().join(format!("tests/it/rules/{file}.rs")).is_file(), "tests/it/rules/{file}.rs is missing");
        let rows = yatsu_hook::rules::all().filter(|row| row.id == rule).count();
        assert_eq!(rows, 1, "{} stands {rows} times among the rules", rule.as_str());
        assert!(!yatsu_hook::rules::explain(rule).mend.is_empty());
    }
}

#[test]
fn no_test_file_is_forgotten() {
    for (path, _) in sources("tests/it").into_iter().chain(sources("tests/random")) {
        let Some((dir, name)) = path.rsplit_once('/') else { continue };
        let name = name.trim_end_matches(".rs");
        if matches!(name, "mod" | "main") {
            continue;
        }
        let inner = format!("{dir}.rs");
        let parents = [format!("{dir}/mod.rs"), format!("{dir}/main.rs"), inner];
        let declared = parents.iter().filter_map(|parent| fs::read_to_string(root().join(parent)).ok());
        let line = format!("mod {name};");
        assert!(declared.into_iter().any(|text| text.contains(&line)), "{path} is not declared with `{line}`");
    }
}

/// The most lines of README.md: a newcomer reads it in two minutes.
const README_LINES: usize = 150;

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(readme.lines().count() <= README_LINES, "README.md has {} lines", readme.lines().count());
}

#[test]
fn the_table_of_rules_and_the_architecture_are_whole() {
    let findings = fs::read_to_string(root().join("docs/findings.md")).expect("docs/findings.md");
    for rule in yatsu_hook::finding::RuleId::ALL {
        let row = format!("\n| `{}` | ", rule.as_str());
        assert!(findings.contains(&row), "the table of docs/findings.md has no row for {}", rule.as_str());
    }
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (module, _) in MAY_SEE {
        assert!(architecture.contains(&format!("`{module}")), "ARCHITECTURE.md does not name {module}");
    }
}

/// How many of a hundred type names may have more than one meaning.
const SHARED_NAMES_IN_A_HUNDRED: usize = 5;

#[test]
fn no_two_files_name_each_other_in_a_circle() {
    let modules = modules::all();
    let mut edges = modules::edges(&modules);
    assert!(edges.len() > modules.len() / 2, "too few imports are seen: {}", edges.len());
    let asks = |at: &usize| ASK_THE_TABLE.contains(&modules[*at].file.as_str());
    let asking = edges.iter_mut().filter(|(from, _)| asks(from)).map(|(_, seen)| seen);
    asking.for_each(|seen| seen.retain(|to| modules[*to].file != house::TABLE));
    let circles = modules::circles(&edges);
    let told: Vec<String> = circles
        .iter()
        .map(|circle| {
            let names = |to: &std::collections::BTreeSet<usize>| {
                to.intersection(circle).map(|at| modules[*at].file.as_str()).collect::<Vec<_>>().join(", ")
            };
            let lines = circle.iter().map(|at| format!("  {} -> {}", modules[*at].file, names(&edges[at])));
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect();
    assert!(told.is_empty(), "{} circles:\n{}", told.len(), told.join("\n\n"));
}

#[test]
fn a_type_name_means_one_thing() {
    let names = shapes::type_names(&modules::all());
    let shared: Vec<_> = names.iter().filter(|(_, files)| files.len() > 1).collect();
    let told: Vec<_> = shared.iter().map(|(name, files)| format!("{name}: {files:?}")).collect();
    assert!(
        shared.len() * 100 <= names.len() * SHARED_NAMES_IN_A_HUNDRED,
        "{} of {} names:\n{}",
        shared.len(),
        names.len(),
        told.join("\n")
    );
}

#[test]
fn a_caller_can_tell_arguments_apart() {
    let wrong = shapes::unnamed_arguments(&modules::all());
    assert!(wrong.is_empty(), "{} functions:\n{}", wrong.len(), wrong.join("\n"));
}
