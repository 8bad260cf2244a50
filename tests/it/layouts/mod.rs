//! The same story in every kind of repository that git can make: the same answer as in an ordinary one (DURABILITY.md,
//! G21), or exit 3 with the reason. None passes silently.
#![allow(clippy::unwrap_used)] // helpers of tests

mod kinds;
mod ways;

use crate::support::{Said, Scratch, hermetic, program, reading_line, scenarios, validate_published};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A work tree, or a bare repository, to run the program in.
pub(crate) struct Place {
    /// Keeps the directories.
    pub(crate) scratch: Scratch,
    /// Where the program runs.
    pub(crate) dir: PathBuf,
}

impl Place {
    /// The scratch repository itself.
    pub(crate) fn main(scratch: Scratch) -> Self {
        let dir = scratch.root.clone();
        Self { scratch, dir }
    }

    /// Another directory beside it.
    pub(crate) fn beside(scratch: Scratch, dir: &str) -> Self {
        let dir = scratch.base.join(dir);
        Self { scratch, dir }
    }

    /// Runs git here; panics unless it succeeds.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.scratch.git_command(args).current_dir(&self.dir).output().expect("git");
        Said::of(output).expect(0).out.trim_end().to_owned()
    }

    pub(crate) fn yatsu(&self, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.scratch.home());
        Said::of(command.current_dir(&self.dir).args(args).output().expect("the program runs"))
    }

    /// Writes a file here and stages it, even outside a sparse checkout's cone.
    pub(crate) fn stage(&self, path: &str, content: &str) {
        let file = self.dir.join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("directories");
        std::fs::write(file, content).expect("a file");
        self.git_outside_of_the_cone("add", &[path]);
    }

    /// A verb of git with paths that may lie outside of the cone. git before 2.34 needs no option for that, and has none.
    pub(crate) fn git_outside_of_the_cone(&self, verb: &str, args: &[&str]) {
        let all = [&[verb, "--sparse"], args].concat();
        let said = self.scratch.git_command(&all).current_dir(&self.dir).output().expect("git");
        if !said.status.success() {
            self.git(&[&[verb], args].concat());
        }
    }
}

/// Four commits: the code, its two scenarios, a reading of each, a change of one governed file.
pub(crate) fn story(init: &[&str]) -> Scratch {
    let scratch = Scratch::with_init(init);
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write("src/b.rs", "fn b() {}\n");
    scratch.write("docs/deep/er/readme", "words\n");
    scratch.commit("code");
    scratch.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/a.rs\n---\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("fresh", "src/a.rs"), ("stale", "src/b.rs"), ("new", "docs")]));
    let measured = scratch.commit("scenarios");
    let lines = [reading_line(&measured, "fresh", "pass", 1), reading_line(&measured, "stale", "pass", 2)];
    scratch.write(".spec/n/yatsu.evals.ndjson", lines.concat());
    scratch.commit("readings");
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    scratch.commit("a change");
    scratch
}

/// An answer as one line: exit code, then every finding without the parts that differ between repositories.
pub(crate) fn summary(said: &Said) -> String {
    assert!(!said.err.contains("panicked"), "{}", said.err);
    let report = validate_published(&said.out);
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or("-").to_owned();
    let finding = |finding: &Value| {
        format!(
            "{} {} {}:{} {} {}",
            text(finding, "level"),
            text(finding, "rule"),
            text(finding, "path"),
            finding["line"],
            text(finding, "scenario"),
            text(finding, "origin")
        )
    };
    let mut findings: Vec<String> = report["findings"].as_array().expect("a list").iter().map(finding).collect();
    findings.sort();
    let verdict = report["verdict"].as_str().unwrap_or("-");
    format!("{} {verdict} [{}] inherited {}", said.code, findings.join("; "), report["summary"]["inherited"])
}

/// The backend that answered, from the report.
pub(crate) fn backend(said: &Said) -> String {
    validate_published(&said.out)["scope"]["backend"].as_str().unwrap_or("-").to_owned()
}

/// Removes the staged changes of a state.
fn reset(place: &Place) {
    place.git(&["reset", "-q", "--hard"]);
    place.git(&["clean", "-q", "-f", "-d"]);
}

/// The answers to the whole matrix, one line per question.
pub(crate) fn answers(place: &Place) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    let mut ask = |state: &str, args: &[&str]| {
        let full = [&["--format", "json"], args].concat();
        let said = place.yatsu(&full);
        answers.push((format!("{state}: {}", args.join(" ")), summary(&said)));
    };
    let whole: &[&[&str]] = &[
        &["check", "--all"],
        &["check", "--rev", "HEAD"],
        &["scan"],
        &["scan", "--rev", "HEAD"],
        &["scan", "--staged"],
        &["run"],
    ];
    let staged: &[&[&str]] =
        &[&["pre-commit"], &["pre-merge-commit"], &["check", "--staged"], &["scan", "--staged"], &["run"]];
    let states: &[(&str, &str, &str)] = &[
        ("a good file staged", "src/a.rs", "fn a() { 2; }\n"),
        ("a bad file staged", ".spec/n/yatsu.md", "---\nscenarios:\n  - name: broken\n    tags: [cli]\n---\n"),
        ("a bad file in a new directory", "lib/new/yatsu.md", "broken"),
        ("a ledger rewritten", ".spec/n/yatsu.evals.ndjson", ""),
    ];
    whole.iter().for_each(|args| ask("nothing staged", args));
    for (state, path, content) in states {
        place.stage(path, content);
        staged.iter().for_each(|args| ask(state, args));
        ask(state, &["check", "--all"]);
        ask(state, &["validate", "--", path]);
        reset(place);
    }
    place.git_outside_of_the_cone("rm", &["-q", "--cached", "src/a.rs"]);
    staged.iter().for_each(|args| ask("a governed file removed", args));
    reset(place);
    answers
}

/// A file of git's own directory.
pub(crate) fn git_path(place: &Place, name: &str) -> PathBuf {
    place.dir.join(Path::new(&place.git(&["rev-parse", "--git-path", name])))
}
