//! The clauses of "What ran", "Which file is it?" and "Left out", each by constructed reports on a ground of maps.

use super::*;
use crate::features::coverage::model::reports::{self, Lines};
use crate::text::units::{language, read};
use std::collections::HashMap;

/// A ground of maps: files with their sources.
#[derive(Default)]
pub(super) struct MapGround {
    pub(super) files: HashMap<RepoPath, &'static str>,
    pub(super) modules: Vec<(RepoPath, String)>,
    pub(super) links: Vec<(RepoPath, RepoPath)>,
    generated: Vec<RepoPath>,
}

pub(super) fn path(text: &str) -> RepoPath {
    RepoPath::from_git(text)
}

pub(super) fn ground(files: &[(&str, &'static str)]) -> MapGround {
    MapGround { files: files.iter().map(|(name, text)| (path(name), *text)).collect(), ..MapGround::default() }
}

impl Ground for MapGround {
    fn top(&self) -> &str {
        "/home/dev/shop"
    }

    fn is_tracked(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    fn dirs_of(&self, path: &RepoPath) -> Vec<RepoPath> {
        self.files.keys().filter_map(|file| dir_before(file, path)).collect()
    }

    fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    fn behind_link(&self, path: &RepoPath) -> Option<RepoPath> {
        let (link, end) = self.links.iter().find(|(link, _)| path.is_within(link))?;
        end.join(path.below(link)?).ok().filter(|file| self.is_tracked(file))
    }

    fn modules(&self) -> &[(RepoPath, String)] {
        &self.modules
    }

    fn left_out(&self, path: &RepoPath) -> Result<Option<LeftOutReason>> {
        let generated = self.generated.contains(path).then_some(LeftOutReason::Generated);
        Ok(is_test_file(path).then_some(LeftOutReason::Test).or(generated))
    }

    fn functions(&self, path: &RepoPath) -> Result<Option<Vec<FunctionBody>>> {
        let source = self.files[path];
        let Ok(language) = language(&path.to_string()) else { return Ok(None) };
        let units = read(language, source.as_bytes(), &mut || false);
        Ok(units.ok().map(|units| function_bodies(language, &units, source.as_bytes())))
    }
}

/// Executed lines, through the reader of Go profiles.
fn lines(executed: &[u32]) -> Lines {
    let blocks = executed.iter().map(|line| format!("x.go:{line}.1,{line}.2 1 1\n"));
    let profile = format!("mode: set\nx.go:1.1,1.2 1 0\n{}", blocks.collect::<String>());
    let read = reports::read(profile.as_bytes(), &[]).unwrap();
    read.files[0].activity[0].lines.clone()
}

/// A file with this many functions, the first of which ran.
pub(super) fn file(name: &str, functions: Option<u32>, ran: u32, executed: &[u32]) -> MeasuredFile {
    let first = |count: u32| lines(&(1..=count).collect::<Vec<_>>());
    let activity = vec![Activity { context: None, functions: first(ran), lines: lines(executed) }];
    MeasuredFile { name: name.into(), functions: functions.map(first), statements: true, activity }
}

pub(super) fn report(format: Format, files: Vec<MeasuredFile>) -> Coverage {
    Coverage { format, sources: Vec::new(), contexts: Vec::new(), files }
}

fn judged<'r>(report: &'r Coverage, ground: &MapGround) -> Measured<'r> {
    measured(std::slice::from_ref(report), ground, &RepoPath::root()).unwrap()
}

/// `ran` `loaded` `idle` as one text.
fn shown(run: &RunFiles) -> String {
    let names = |paths: Vec<String>| paths.join(" ");
    let ran = run.ran.iter().map(|ran| ran.path.to_string()).collect();
    let text = |paths: &[RepoPath]| names(paths.iter().map(ToString::to_string).collect());
    format!("ran {}; loaded {}; idle {}", names(ran), text(&run.loaded), text(&run.idle))
}

const PRICE: &str = "RATE = 0.2\n\n\n@cached(\n    size=1,\n)\ndef total(lines):\n    return sum(lines)\n";

/// The state of one file with this source, counters and executed lines.
#[track_caller]
fn state(name: &str, source: &'static str, functions: Option<u32>, ran: u32, executed: &[u32]) -> &'static str {
    let format = if name.ends_with(".go") { Format::Go } else { Format::Lcov };
    let run = judged(&report(format, vec![file(name, functions, ran, executed)]), &ground(&[(name, source)])).whole();
    match (run.ran.len(), run.loaded.len(), run.idle.len()) {
        (1, 0, 0) => "ran",
        (0, 1, 0) => "loaded",
        (0, 0, 1) => "idle",
        other => panic!("{other:?}"),
    }
}

#[test]
fn functions_speak_first() {
    // V8 gives an uncalled one-line method a hit on its line
    assert_eq!(state("a.mjs", "class A {\n  clear() { this.a = 1 }\n}\n", Some(1), 0, &[1, 2, 3]), "loaded");
    assert_eq!(state("a.mjs", "", Some(4), 1, &[1]), "ran");
    assert_eq!(state("a.mjs", "", Some(1), 0, &[]), "idle", "c8's (empty-report)");
    // a counter without a line still speaks
    assert_eq!(state("a.mjs", "", Some(1), 1, &[]), "ran");
}

#[test]
fn without_counters_a_line_below_the_first_one_of_a_function_speaks() {
    assert_eq!(state("price.py", PRICE, None, 0, &[1, 4, 7]), "loaded", "import runs decorators and `def`");
    assert_eq!(state("price.py", PRICE, None, 0, &[1, 4, 5, 6, 7]), "loaded");
    assert_eq!(state("price.py", PRICE, None, 0, &[1, 4, 7, 8]), "ran");
    assert_eq!(state("price.py", PRICE, Some(0), 0, &[1, 4, 7]), "loaded", "the grammar sees what the tool does not");
    assert_eq!(state("a.py", "def f(): return 1\n", None, 0, &[1]), "loaded");
    assert_eq!(state("a.py", "def f():\n    return 1\nf.cache = {\n    1: 2,\n}\n", None, 0, &[1, 3, 4]), "loaded");
    assert_eq!(
        state("a.py", "class A:\n    x = 1\n    async def f(self):\n        return 1\n", None, 0, &[1, 2, 3]),
        "loaded"
    );
    assert_eq!(state("a.py", "class A:\n    x = 1\n    async def f(self):\n        return 1\n", None, 0, &[4]), "ran");
    assert_eq!(state("a.py", "class A:\r\n    def f(self):\r\n        return 1\r\n", None, 0, &[1, 2]), "loaded");
}

#[test]
fn a_file_without_functions_ran_when_any_of_its_lines_ran() {
    assert_eq!(state("settings.py", "RATE = 0.2\n", None, 0, &[1]), "ran");
    assert_eq!(state("settings.py", "RATE = 0.2\n", Some(0), 0, &[1]), "ran");
    assert_eq!(state("settings.py", "RATE = 0.2\n", None, 0, &[]), "idle");
}

#[test]
fn where_units_cannot_be_read_any_executed_line_speaks() {
    assert_eq!(state("a.c", "int f() {\n}\n", None, 0, &[1]), "ran");
    assert_eq!(state("a.py", "def f():\n    return 1\n)))\n", None, 0, &[1]), "ran");
}

#[test]
fn in_go_every_executed_block_speaks() {
    assert_eq!(state("a.go", "package a\n\nfunc F() int { return 1 }\n", None, 0, &[3]), "ran");
    assert_eq!(state("a.go", "package a\n\nfunc F() int { return 1 }\n", None, 0, &[]), "idle");
    // the body of a function that a variable holds is in no unit of a function
    let held = "package a\n\nvar f = func() int {\n\treturn 1\n}\n\nfunc G() int {\n\treturn f()\n}\n";
    assert_eq!(state("a.go", held, None, 0, &[4]), "ran");
}

#[test]
fn functions_are_counted_by_the_tool_or_by_the_grammar() {
    let ground =
        ground(&[("a.py", PRICE), ("a.mjs", ""), ("a.c", ""), ("a.go", "package a\nfunc F() {}\nfunc G() {}\n")]);
    let files = vec![file("a.py", None, 0, &[8]), file("a.mjs", Some(4), 3, &[1]), file("a.c", None, 0, &[1])];
    let ran = judged(&report(Format::Lcov, files), &ground).whole().ran;
    let counts: Vec<_> = ran.iter().map(|ran| (ran.path.to_string(), ran.functions, ran.ran_functions)).collect();
    assert_eq!(counts, [("a.c".into(), None, 0), ("a.mjs".into(), Some(4), 3), ("a.py".into(), Some(1), 1)]);
    let ran = judged(&report(Format::Go, vec![file("a.go", None, 0, &[2])]), &ground).whole().ran;
    assert_eq!((ran[0].functions, ran[0].ran_functions), (Some(2), 1));
}

#[test]
fn a_file_without_statements_is_neither_run_nor_idle() {
    let empty = MeasuredFile { statements: false, ..file("a.py", None, 0, &[]) };
    let run = judged(&report(Format::Lcov, vec![empty]), &ground(&[("a.py", "")])).whole();
    assert_eq!(shown(&run), "ran ; loaded ; idle ");
}

#[test]
fn the_union_of_reports_counts_in_any_order() {
    let ground = ground(&[("a.mjs", ""), ("b.mjs", ""), ("c.mjs", "")]);
    let one = report(Format::Lcov, vec![file("a.mjs", Some(1), 0, &[]), file("b.mjs", Some(1), 0, &[1])]);
    let other = report(
        Format::Istanbul,
        vec![
            file("/home/dev/shop/b.mjs", Some(2), 0, &[]),
            file("/home/dev/shop/a.mjs", Some(1), 1, &[1]),
            file("/home/dev/shop/c.mjs", Some(1), 0, &[]),
        ],
    );
    for reports in [[one.clone(), other.clone()], [other, one]] {
        let run = measured(&reports, &ground, &RepoPath::root()).unwrap().whole();
        assert_eq!(shown(&run), "ran a.mjs; loaded b.mjs; idle c.mjs");
    }
}

/// A file of which these functions ran, in the whole run and in the first context.
fn ran_in(name: &str, all: &[u32], ran: &[u32]) -> MeasuredFile {
    let mut file = file(name, None, 0, &[1]);
    file.functions = Some(lines(all));
    file.activity[0].functions = lines(ran);
    file.activity.push(Activity { context: Some(0), ..file.activity[0].clone() });
    file
}

#[test]
fn functions_of_several_reports_are_their_union() {
    let ground = ground(&[("a.mjs", ""), ("b.py", "def f():\n    return 1\ndef g():\n    return 2\n")]);
    let half = |test: &str, ran: u32, line: u32| Coverage {
        contexts: vec![test.into()],
        ..report(Format::Lcov, vec![ran_in("a.mjs", &[1, 3, ran], &[ran]), file("b.py", None, 0, &[line])])
    };
    let reports = [half("one", 5, 2), half("two", 7, 4), half("two", 7, 4)];
    let measured = measured(&reports, &ground, &RepoPath::root()).unwrap();
    let counts = |run: RunFiles| run.ran.iter().map(|ran| (ran.functions, ran.ran_functions)).collect::<Vec<_>>();
    assert_eq!(counts(measured.whole()), [(Some(4), 2), (Some(2), 2)]);
    assert_eq!(counts(measured.of(&BTreeSet::from([1]))), [(Some(4), 1)]);
    assert_eq!(counts(measured.of(&BTreeSet::from([0, 1]))), [(Some(4), 2)]);
}

#[test]
fn an_untracked_file_of_two_reports_is_counted_once() {
    let ground = ground(&[("src/a.py", "")]);
    let names = ["src/a.py", "gone.py"].map(|name| file(name, None, 0, &[1]));
    let absolute = ["/home/dev/shop/src/a.py", "/home/dev/shop/gone.py"].map(|name| file(name, None, 0, &[1]));
    let reports = [report(Format::Lcov, names.to_vec()), report(Format::Istanbul, absolute.to_vec())];
    let left = measured(&reports, &ground, &RepoPath::root()).unwrap().left;
    assert_eq!(left, LeftCounts { untracked: 1, ..LeftCounts::default() });
}

#[test]
fn what_is_left_out_is_counted_once() {
    let mut ground = ground(&[("src/a.py", ""), ("tests/a.py", ""), ("src/gen.py", "")]);
    ground.generated.push(path("src/gen.py"));
    let all = ["src/a.py", "tests/a.py", "./tests/a.py", "src/gen.py", "/usr/lib/x.py", "gone.py", "../out.py"];
    let report = report(Format::Lcov, all.map(|name| file(name, None, 0, &[1])).to_vec());
    let measured = judged(&report, &ground);
    assert_eq!(measured.left, LeftCounts { untracked: 2, generated: 1, tests: 1 });
    assert_eq!(shown(&measured.whole()), "ran src/a.py; loaded ; idle ");
}

#[test]
fn a_report_about_other_files_is_refused_with_its_first_name() {
    let ground = ground(&[("src/a.py", "")]);
    let one = report(Format::Lcov, vec![file("src/a.py", None, 0, &[1])]);
    for (files, said) in [
        (vec![file("/x/b\u{1b}.py", None, 0, &[1]), file("/x/c.py", None, 0, &[1])], "its first name is /x/b"),
        (Vec::new(), "the go report names no file"),
    ] {
        let error = measured(&[one.clone(), report(Format::Go, files)], &ground, &RepoPath::root()).unwrap_err();
        assert!(error.message.contains(said), "{}", error.message);
        assert_eq!(error.kind.exit_code(), 1);
    }
}

#[test]
fn a_test_has_what_its_contexts_ran_alone() {
    let ground = ground(&[("a.mjs", ""), ("b.mjs", ""), ("c.mjs", "")]);
    let in_contexts = |name: &str, runs: &[(u32, u32)]| {
        let mut whole = file(name, Some(2), runs.iter().map(|(_, ran)| *ran).max().unwrap_or_default(), &[1]);
        let part = |(context, ran): &(u32, u32)| Activity {
            context: Some(*context),
            ..file(name, None, *ran, &[1]).activity.remove(0)
        };
        whole.activity.extend(runs.iter().map(part));
        whole
    };
    let files = vec![in_contexts("a.mjs", &[(0, 1)]), in_contexts("b.mjs", &[(1, 2)]), file("c.mjs", Some(1), 0, &[])];
    let report = Coverage { contexts: vec!["two".into(), "one".into()], ..report(Format::Lcov, files) };
    let measured = judged(&report, &ground);
    let names: Vec<_> = measured.contexts.iter().map(|context| &*context.name).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(shown(&measured.of(&BTreeSet::from([0]))), "ran b.mjs; loaded ; idle c.mjs");
    assert_eq!(shown(&measured.of(&BTreeSet::from([1]))), "ran a.mjs; loaded ; idle c.mjs");
    assert_eq!(shown(&measured.of(&BTreeSet::from([0, 1]))), "ran a.mjs b.mjs; loaded ; idle c.mjs");
    assert_eq!(shown(&measured.of(&BTreeSet::new())), "ran ; loaded ; idle c.mjs");
    assert_eq!(shown(&measured.whole()), "ran a.mjs b.mjs; loaded ; idle c.mjs");
}

#[test]
fn a_declaration_without_a_body_is_no_function() {
    let router = "export const LIMIT = 3\nexport interface Router {\n  add(\n    path: string): void\n}\n";
    assert_eq!(state("router.ts", router, Some(0), 0, &[1]), "ran");
    let class = "export const A = 1\nexport abstract class B {\n  abstract add(path: string): void;\n}\n";
    assert_eq!(state("b.ts", class, None, 0, &[1]), "ran");
    let overload = "function f(a: string): void;\nfunction f(a: any) {\n  return a\n}\n";
    assert_eq!(state("f.ts", overload, None, 0, &[1]), "loaded");
    assert_eq!(state("f.ts", overload, None, 0, &[3]), "ran");
    let held = "export const a = {\n  go: (b) =>\n    b,\n}\n";
    assert_eq!(state("a.ts", held, None, 0, &[1]), "loaded");
    assert_eq!(state("a.ts", held, None, 0, &[3]), "ran");
}

#[test]
fn a_function_that_a_constant_holds_is_a_function() {
    let mixed = "class A {\n  go() {\n    return 1\n  }\n}\nexport const f = () => {\n  return 2\n}\n";
    assert_eq!(state("mix.js", mixed, None, 0, &[1, 6]), "loaded");
    assert_eq!(state("mix.js", mixed, None, 0, &[1, 6, 7]), "ran");
    let arrow = "export const f = () => {\n  return 2\n}\n";
    assert_eq!(state("arrow.js", arrow, None, 0, &[1]), "loaded", "the import alone");
    assert_eq!(state("arrow.ts", arrow, None, 0, &[1, 2]), "ran");
    assert_eq!(state("rate.ts", "export const RATE = {\n  low: 1,\n}\n", None, 0, &[1]), "ran", "no function");
}

#[test]
fn no_line_of_a_compiled_function_runs_at_load() {
    assert_eq!(state("a.rs", "fn a() -> u8 { 1 }\nfn b() {}\n", None, 0, &[1]), "ran");
    assert_eq!(state("A.java", "class A {\n  int a() { return 1; }\n}\n", None, 0, &[2]), "ran");
    assert_eq!(state("a.rb", "def a = 1\n", None, 0, &[1]), "loaded", "Ruby runs it at load");
}
