//! `yatsu-schema`: a scenario file is well-formed, and every path it names exists.

mod unmet;

use super::wording::{file, of_node, of_problem, of_scenario, place};
use crate::engine::facts::Facts;
use crate::finding::{Finding, Grounds, Level, RuleId};
use crate::model::glob;
use crate::model::governed::{Found, Governed};
use crate::model::node::{Node, Spec};
use crate::model::scenario::{Scenario, ScenarioFile};
use crate::model::selector::SelectorFault;
use crate::model::source::Problem;
use crate::names;
use crate::text::escape::{echo, in_ascii};
use crate::text::shell;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::HashSet;

const RULE: RuleId = RuleId::YatsuSchema;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for node in &facts.workspace.nodes {
        // `ledger-schema` names those
        let others = node.look_alikes.iter().filter(|path| !names::is_like_segment(path.name()));
        found.extend(others.map(|path| look_alike(node, path)));
        let Some(file) = &node.file else { continue };
        found.extend(file.problems.iter().map(|problem| malformed(node, file, problem)));
        found.extend(second_file(node));
        for scenario in &file.scenarios {
            found.extend(paths(node, scenario));
        }
        found.extend(inherited(node));
    }
    unmet::check(facts, found);
}

fn malformed(node: &Node, file: &ScenarioFile, problem: &Problem) -> Finding {
    let mut finding = of_problem(RULE, node, &file.path, problem);
    finding.grounds = match &problem.scenario {
        Some(_) => Grounds::Entry,
        None if file.scenarios.is_empty() => Grounds::File,
        None => Grounds::Itself,
    };
    finding
}

/// The list of a node must also name existing paths and valid selectors, because scenarios without a list govern through
/// it.
fn inherited(node: &Node) -> Vec<Finding> {
    let Some(spec) = &node.spec else { return Vec::new() };
    if !node.scenarios().iter().any(|scenario| scenario.code.is_empty()) {
        return Vec::new();
    }
    let ghosts = spec.code.iter().filter_map(|path| Some((path, path.governs_nothing()?)));
    let selectors = selectors(&spec.code).into_iter().map(|fault| Finding {
        location: place(&spec.path, fault.entry.at),
        key: format!("spec:{}", fault.key()),
        ..fault.told(|message| of_node(RULE, node, message))
    });
    ghosts.map(|(path, what)| inherited_ghost(node, spec, path, &what)).chain(selectors).collect()
}

/// A selector that narrows nothing for any content of its file.
struct IdleSelector<'m> {
    entry: &'m Governed,
    fault: SelectorFault,
}

/// The idle selectors of a list. The first of several equal selectors is not idle.
fn selectors(list: &[Governed]) -> Vec<IdleSelector<'_>> {
    let mut seen = HashSet::new();
    let idle = list.iter().filter_map(|entry| {
        let fault = entry.selector.as_ref()?.fault?;
        let is_first = seen.insert((entry.path.as_ref().ok(), entry.selector.as_ref().map(|known| &known.symbol)));
        (fault != SelectorFault::Repeated || !is_first).then_some(IdleSelector { entry, fault })
    });
    idle.collect()
}

impl IdleSelector<'_> {
    fn key(&self) -> String {
        format!("{}|{:?}", self.entry.shown(), self.fault)
    }

    /// The finding; `new` makes it from a message.
    fn told(&self, new: impl FnOnce(String) -> Finding) -> Finding {
        let (selector, path) = (self.entry.shown(), echo(&self.entry.text).into_owned());
        let (what, help) = match self.fault {
            SelectorFault::Repeated => ("stands in the list twice", "keep it once".to_owned()),
            SelectorFault::BesideFile => {
                ("stands beside its whole file", format!("keep one of them: the selector, or {path:?}"))
            }
            SelectorFault::OfDirectory => {
                ("is of a directory", "name one file, or drop what follows the `#`".to_owned())
            }
            SelectorFault::OfSubmodule => {
                ("is of a submodule: its files belong to another repository", "drop what follows the `#`".to_owned())
            }
            SelectorFault::OfGlob => ("is of a glob", "name one file, or drop what follows the `#`".to_owned()),
        };
        let message = format!("`code` selector {:?} {what}: all of {path:?} is compared", echo(&selector));
        let about = self.entry.path.iter().map(RepoPath::to_bstring).collect();
        Finding { help, about, ..new(message) }
    }
}

fn idle(node: &Node, scenario: &Scenario, fault: &IdleSelector<'_>) -> Finding {
    let mut finding = fault.told(|message| of_scenario(RULE, node, scenario, message));
    if let Some(file) = &node.file {
        finding.location = place(&file.path, fault.entry.at);
    }
    finding.key = format!("code:{}", fault.key());
    finding
}

fn inherited_ghost(node: &Node, spec: &Spec, path: &Governed, what: &str) -> Finding {
    let message = format!("`code` names {:?}, which {what}; scenarios here govern by that list", echo(&path.text));
    let mut finding = of_node(RULE, node, message);
    finding.location = place(&spec.path, path.at);
    finding.help = correct_path("code", path);
    finding.about = path.path.iter().map(RepoPath::to_bstring).collect();
    finding.grounds = Grounds::Path;
    finding.key = format!("spec:{}|ghost", path.text);
    finding
}

fn second_file(node: &Node) -> Option<Finding> {
    let second = node.second_file.as_ref()?;
    let mut finding = of_node(RULE, node, format!("two scenario files in one directory: {second} is not read"));
    finding.help = "move its scenarios into the other file and delete it".into();
    finding.key = "second-file".into();
    Some(finding)
}

fn look_alike(node: &Node, path: &RepoPath) -> Finding {
    let name = path.name();
    let mut finding = of_node(
        RULE,
        node,
        format!(
            "{:?} is not read: it is almost, but not exactly, the name of a file that this program reads",
            echo(&name.to_string())
        ),
    );
    finding.location = file(path);
    finding.help = "rename it to the exact name, in lower case and without blanks or dots at the end".into();
    finding.at_most = Some(Level::Warning);
    finding.key = format!("look-alike:{name}");
    finding
}

fn paths(node: &Node, scenario: &Scenario) -> Vec<Finding> {
    let lists = [("code", &scenario.code), ("related", &scenario.related)];
    let listed = lists.into_iter().flat_map(|(key, list)| list.iter().map(move |path| (key, path)));
    let all = listed.chain(scenario.test.iter().map(|test| ("test", test)));
    let selectors = selectors(&scenario.code).into_iter().map(|fault| idle(node, scenario, &fault));
    all.filter_map(|(key, path)| ghost(node, scenario, key, path)).chain(selectors).collect()
}

fn ghost(node: &Node, scenario: &Scenario, key: &str, path: &Governed) -> Option<Finding> {
    let nothing = path.governs_nothing();
    let (what, help) = match path.found {
        Found::Ghost | Found::OtherForm(_) => (nothing.as_deref()?, correct_path(key, path)),
        Found::Untracked => {
            let added = path.path.as_ref().map_or_else(|_| "PATH".to_owned(), shell::place);
            ("is not tracked by git", format!("git add -- {added}, or name a tracked file"))
        }
        Found::LeavesByLink => (
            "leads out of the repository through a symbolic link",
            "name the real file inside the repository".to_owned(),
        ),
        Found::GlobLimit => {
            ("is a glob beyond the limits", "write a simpler pattern, or name the directory".to_owned())
        }
        Found::Unresolved | Found::Path | Found::Glob | Found::Absent | Found::NoPath => return None,
    };
    let mut finding = of_scenario(RULE, node, scenario, format!("`{key}` names {:?}, which {what}", echo(&path.text)));
    if let Some(file) = &node.file {
        finding.location = place(&file.path, path.at);
    }
    finding.help = help;
    finding.about = path.path.iter().map(RepoPath::to_bstring).collect();
    finding.grounds = Grounds::Path;
    finding.key = format!("{key}:{}|{what}", path.text);
    Some(finding)
}

/// What to write in place of a path that is not there.
fn correct_path(key: &str, path: &Governed) -> String {
    match &path.found {
        Found::OtherForm(there) => {
            let written = in_ascii(&format!("{there}{}", behind_the_name(path)));
            format!("write the name as git has it: {key}: \"{written}\"")
        }
        _ => format!("correct the path under `{key}:`, or remove it"),
    }
}

/// What an entry holds behind the name that git has in another form, for example `/**` or `#total`.
fn behind_the_name(path: &Governed) -> String {
    let Ok(literal) = &path.path else { return String::new() };
    let written = literal.as_bstr();
    let base = if glob::has_glob_characters(written) { glob::literal_base(literal) } else { literal.clone() };
    let unit = path.symbol().map(|symbol| format!("#{symbol}")).unwrap_or_default();
    format!("{}{unit}", written[base.as_bstr().len()..].as_bstr())
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, SOURCE, WORKS};

    #[test]
    fn a_name_in_another_unicode_form_is_written_out() {
        let list =
            Case::new().with(FILE, WORKS.replace(SOURCE, "src/caf\u{e9}.rs")).with("src/cafe\u{301}.rs", "fn a() {}\n");
        insta::assert_snapshot!(list.told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:7:11: error[yatsu-schema] n/works: `code` names "src/café.rs", which does not exist, and src/cafe\u0301.rs has the same name in another Unicode form
            tags: cli
            help: write the name as git has it: code: "src/cafe\u0301.rs"
        "#);
        let glob =
            Case::new().with(FILE, WORKS.replace(SOURCE, "\"caf\u{e9}/**\"")).with("cafe\u{301}/a.rs", "fn a() {}\n");
        insta::assert_snapshot!(glob.told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:7:11: error[yatsu-schema] n/works: `code` names "café/**", which does not exist, and cafe\u0301 has the same name in another Unicode form
            tags: cli
            help: write the name as git has it: code: "cafe\u0301/**"
        "#);
        let unit = Case::new()
            .with(FILE, WORKS.replace(SOURCE, "\"src/caf\u{e9}.rs#a\""))
            .with("src/cafe\u{301}.rs", "fn a() {}\n");
        insta::assert_snapshot!(unit.told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:7:11: error[yatsu-schema] n/works: `code` names "src/café.rs", which does not exist, and src/cafe\u0301.rs has the same name in another Unicode form
            tags: cli
            help: write the name as git has it: code: "src/cafe\u0301.rs#a"
        "#);
    }

    #[test]
    fn a_path_that_is_not_there_and_a_key_that_nobody_knows_are_named() {
        let ghost = WORKS.replace(SOURCE, "src/gone.rs").replace("    tags:", "    taggs:");
        insta::assert_snapshot!(Case::new().with(FILE, ghost).told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:3:5: error[yatsu-schema] n/works: the scenario has no tags
            help: give it at least one of frontend-e2e, backend-api, cli, desktop, mobile, or extend lint.scenarioTags in spexcode.json
        .spec/n/yatsu.md:6:5: error[yatsu-schema] n/works: unknown key `taggs`
            help: did you mean `tags`?
        .spec/n/yatsu.md:7:11: error[yatsu-schema] n/works: `code` names "src/gone.rs", which does not exist
            help: correct the path under `code:`, or remove it
        "#);
    }

    #[test]
    fn a_file_that_says_what_it_means_is_fine() {
        assert_eq!(Case::new().told(RuleId::YatsuSchema), "");
        let scoped =
            Case::new().with(FILE, WORKS.replace(SOURCE, "[src/a.rs#a, src/b.rs#b]")).with("src/b.rs", "fn b() {}\n");
        assert_eq!(scoped.told(RuleId::YatsuSchema), "");
    }

    #[test]
    fn a_selector_that_narrows_nothing_is_named() {
        let list = "[src/a.rs#a, ./src/a.rs#a, src#a, src/*#b]";
        let idle = Case::new().with(FILE, WORKS.replace(SOURCE, list));
        insta::assert_snapshot!(idle.told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:7:24: error[yatsu-schema] n/works: `code` selector "./src/a.rs#a" stands in the list twice: all of "./src/a.rs" is compared
            tags: cli
            help: keep it once
        .spec/n/yatsu.md:7:38: error[yatsu-schema] n/works: `code` selector "src#a" is of a directory: all of "src" is compared
            tags: cli
            help: name one file, or drop what follows the `#`
        .spec/n/yatsu.md:7:45: error[yatsu-schema] n/works: `code` selector "src/*#b" is of a glob: all of "src/*" is compared
            tags: cli
            help: name one file, or drop what follows the `#`
        "#);
        let list = "[src/a.rs, src/a.rs#b]";
        let spec = format!("---\ntitle: n\ncode: {list}\n---\n");
        let inherited = Case::new().with(FILE, WORKS.replace("    code: src/a.rs\n", "")).with(".spec/n/spec.md", spec);
        insta::assert_snapshot!(inherited.told(RuleId::YatsuSchema), @r#"
        .spec/n/spec.md:3:18: error[yatsu-schema] n: `code` selector "src/a.rs#b" stands beside its whole file: all of "src/a.rs" is compared
            help: keep one of them: the selector, or "src/a.rs"
        "#);
    }
}
