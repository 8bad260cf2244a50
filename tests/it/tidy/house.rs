//! The walls of the features: which feature a source file belongs to, and how many imports cross a wall. A feature lies below
//! `src/features/NAME`; all other files are core. The figures are ceilings that only go down.

use super::modules::{self, Module};
use std::collections::{BTreeMap, BTreeSet};

/// The one file that names all features.
pub const TABLE: &str = "src/features/mod.rs";

/// The figures of a checkout, as they stand and as they may be.
#[derive(Debug, PartialEq, Eq)]
struct Walls {
    /// Files of the core that name a feature.
    core_files: usize,
    /// Imports of a feature's file by a file of the core.
    from_core: usize,
    /// Imports of a feature's file by a file of another feature; a re-export is followed to the file that declares.
    between: usize,
    /// Features that another feature names, counted once for each pair.
    pairs: usize,
    /// The features of the largest group in which each one needs each other one; 1 without a circle.
    circle: usize,
}

const CEILINGS: Walls = Walls { core_files: 0, from_core: 0, between: 58, pairs: 13, circle: 1 };

#[test]
fn no_more_imports_cross_a_wall_than_before() {
    let modules = modules::all();
    let sorted = owners(&modules);
    let (walls, crossing) = measured(&modules, &sorted);
    let told = crossing.join("\n");
    assert_eq!(walls, CEILINGS, "more is a new hole in a wall; fewer is the new ceiling. All that cross:\n{told}");
}

/// The parts of a feature, and the parts of the same feature that each may name.
const PARTS: &[(&str, &[&str])] = &[
    ("model", &["model"]),
    ("judge", &["model", "judge"]),
    ("rules", &["model", "judge", "rules"]),
    ("print", &["model", "print"]),
    ("verbs", &["model", "judge", "rules", "print", "verbs"]),
    ("mod", &["model", "judge", "rules", "print", "verbs"]),
];

/// The feature of a file and its part in it, for example `page` and `verbs` of `src/features/page/verbs/open.rs`.
pub fn part_of(path: &str) -> Option<(&str, &str)> {
    let (feature, below) = path.strip_prefix("src/features/")?.split_once('/')?;
    Some((feature, below.trim_end_matches(".rs").split('/').next().unwrap_or(below)))
}

#[test]
fn the_parts_of_a_feature_name_what_stands_before_them() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for (path, text) in super::sources("src") {
        let Some((feature, part)) = part_of(&path) else { continue };
        let (_, may) = PARTS.iter().find(|(name, _)| *name == part).unwrap_or_else(|| panic!("{path}: no such part"));
        let own = format!("crate::features::{feature}::");
        for named in super::code(&text).split(&own).skip(1) {
            seen += 1;
            let other = named.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            if !may.contains(&other) {
                wrong.push(format!("{path}: {other}"));
            }
        }
    }
    assert!(seen > 5, "too few imports inside of features are seen: {seen}");
    assert!(wrong.is_empty(), "against the order of parts:\n{}", wrong.join("\n"));
}

#[test]
fn a_feature_names_only_features_that_stand_above_it() {
    let table = std::fs::read_to_string(super::root().join(TABLE)).expect("the table");
    let rows: Vec<&str> = table.split("::ROW").filter_map(|before| Some(before.rsplit_once('&')?.1)).collect();
    assert!(rows.len() > 2, "too few rows are seen: {rows:?}");
    let mut wrong = Vec::new();
    for (path, text) in super::sources("src") {
        let Some((feature, _)) = part_of(&path) else { continue };
        let own = rows.iter().position(|row| *row == feature).unwrap_or_else(|| panic!("{path}: no row"));
        for named in super::code(&text).split("crate::features::").skip(1) {
            let other = named.split("::").next().unwrap_or_default();
            if rows.iter().position(|row| *row == other).is_none_or(|other| other > own) {
                wrong.push(format!("{path}: {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "below the feature that names them, or no feature:\n{}", wrong.join("\n"));
}

#[test]
fn a_feature_is_used_through_its_mod_file_alone() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for (path, text) in super::sources("src") {
        let Some((feature, _)) = part_of(&path) else { continue };
        for named in super::code(&text).split("crate::features::").skip(1) {
            let path_of_item = named.split(|c: char| !c.is_alphanumeric() && !"_:{}*, \n".contains(c)).next();
            let (other, item) = path_of_item.and_then(|whole| whole.split_once("::")).unwrap_or_default();
            if other != feature {
                seen += 1;
                if item.contains("::") || item.contains('*') {
                    wrong.push(format!("{path}: {other}::{item}"));
                }
            }
        }
    }
    assert!(seen > 5, "too few uses of other features are seen: {seen}");
    assert!(wrong.is_empty(), "not at the door of the feature, its mod.rs:\n{}", wrong.join("\n"));
}

/// The feature of each file; `core` and `table` are no features.
fn owners(modules: &[Module]) -> Vec<&str> {
    let owner = |path: &str| if path == TABLE { "table" } else { "core" };
    modules.iter().map(|module| part_of(&module.file).map_or_else(|| owner(&module.file), |(name, _)| name)).collect()
}

/// The figures, and each import that crosses a wall, for example `core -> page: src/a.rs -> src/b.rs`.
fn measured(modules: &[Module], owners: &[&str]) -> (Walls, Vec<String>) {
    let (mut from_core, mut between, mut crossing) = (Vec::new(), Vec::new(), Vec::new());
    for (from, seen) in modules::edges(modules) {
        for to in seen {
            let (one, other) = (owners[from], owners[to]);
            if one == other || other == "core" || [one, other].contains(&"table") {
                continue;
            }
            crossing.push(format!("{one} -> {other}: {} -> {}", modules[from].file, modules[to].file));
            if one == "core" { from_core.push(from) } else { between.push((one, other)) }
        }
    }
    crossing.sort();
    let mut pairs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (one, other) in &between {
        pairs.entry(one).or_default().insert(other);
    }
    let walls = Walls {
        core_files: from_core.iter().collect::<BTreeSet<_>>().len(),
        from_core: from_core.len(),
        between: between.len(),
        pairs: pairs.values().map(BTreeSet::len).sum(),
        circle: largest_circle(&pairs),
    };
    (walls, crossing)
}

fn largest_circle(pairs: &BTreeMap<&str, BTreeSet<&str>>) -> usize {
    let reach = |from: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(at) = open.pop() {
            let next = pairs.get(at.as_str()).into_iter().flatten();
            open.extend(next.filter(|to| seen.insert(**to)).map(|to| (*to).to_owned()));
        }
        seen
    };
    let on_one = |name: &&str| reach(name).iter().filter(|other| reach(other).contains(name)).count();
    pairs.keys().map(on_one).max().unwrap_or_default().max(1)
}
