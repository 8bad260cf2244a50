//! A week of ordinary git with the gate installed: correct work is never blocked. The snapshot at the end has the
//! gate's answer at each step.

use crate::support::{Said, Scratch, reading, scenarios};
use std::cell::RefCell;

struct Week {
    scratch: Scratch,
    diary: RefCell<String>,
    minute: std::cell::Cell<u32>,
}

impl Week {
    fn begin() -> Self {
        let scratch = Scratch::new();
        for hook in ["pre-commit", "pre-merge-commit"] {
            scratch.hook(hook, hook);
        }
        Self { scratch, diary: RefCell::default(), minute: std::cell::Cell::new(0) }
    }

    /// Runs a git command that must succeed; the gate's output goes into the diary.
    #[track_caller]
    fn git(&self, what: &str, args: &[&str]) {
        let said = self.scratch.try_git(args).expect(0);
        self.note(what, &said);
    }

    #[track_caller]
    fn edited(&self, what: &str, args: &[&str], editor: &str) {
        let mut command = self.scratch.git_command(args);
        command.env("GIT_SEQUENCE_EDITOR", editor);
        let said = Said::of(command.output().expect("git")).expect(0);
        self.note(what, &said);
    }

    fn note(&self, what: &str, said: &Said) {
        let gate: Vec<&str> = said
            .err
            .lines()
            .filter(|line| {
                line.contains('[') && line.contains("]: ")
                    || line.contains("not from this change:")
                    || line.contains("] ")
            })
            .collect();
        let words = if gate.is_empty() { "nothing".to_owned() } else { gate.join("\n    ") };
        self.diary.borrow_mut().push_str(&format!("{what}: {words}\n"));
    }

    fn write(&self, path: &str, content: &str) {
        self.scratch.write(path, content);
        self.scratch.git(&["add", "-A"]);
    }

    fn measure(&self, dir: &str, scenario: &str) {
        self.minute.set(self.minute.get() + 1);
        reading(&self.scratch, dir, scenario, "pass", self.minute.get());
        self.scratch.git(&["add", "-A"]);
    }

    fn quiet(&self, args: &[&str]) {
        self.scratch.git(args);
    }
}

#[test]
fn nobody_who_did_nothing_wrong_is_blocked() {
    let week = Week::begin();
    monday(&week);
    tuesday(&week);
    wednesday(&week);
    thursday(&week);
    friday(&week);
    insta::assert_snapshot!(week.diary.into_inner());
}

/// Two roots, the first readings, a branch that is kept up to date with main and squash-merged.
fn monday(week: &Week) {
    week.write("spexcode.json", "{\"yatsu\": {\"roots\": [\".spec\", \"docs/spec\"]}}\n");
    week.write("src/a.rs", "fn a() {}\n");
    week.write("src/b.rs", "fn b() {}\n");
    week.write(".spec/one/yatsu.md", &scenarios(&[("works", "src/a.rs")]));
    week.write("docs/spec/two/yatsu.md", &scenarios(&[("holds", "src/b.rs")]));
    week.git("two roots", &["commit", "-q", "-m", "nodes under two roots"]);
    week.measure(".spec/one", "works");
    week.measure("docs/spec/two", "holds");
    week.git("first readings", &["commit", "-q", "-m", "measure"]);

    week.quiet(&["checkout", "-q", "-b", "feature"]);
    week.write("src/a.rs", "fn a() { 1; }\n");
    week.git("an edit on a branch", &["commit", "-q", "-m", "edit a"]);
    week.measure(".spec/one", "works");
    week.git("measured again", &["commit", "-q", "-m", "measure a"]);
    week.quiet(&["checkout", "-q", "main"]);
    week.measure("docs/spec/two", "holds");
    week.git("trunk files its own reading", &["commit", "-q", "-m", "measure b"]);
    week.quiet(&["checkout", "-q", "feature"]);
    week.git("branch updated from main", &["merge", "-q", "--no-edit", "main"]);
    week.quiet(&["checkout", "-q", "main"]);
    week.quiet(&["merge", "-q", "--squash", "feature"]);
    week.git("squash merge", &["commit", "-q", "-m", "feature"]);
    week.quiet(&["branch", "-q", "-D", "feature"]);
}

/// A criss-cross merge, and a ledger conflict resolved by hand.
fn tuesday(week: &Week) {
    week.quiet(&["checkout", "-q", "-b", "left"]);
    week.measure(".spec/one", "works");
    week.git("left measures", &["commit", "-q", "-m", "left"]);
    week.quiet(&["checkout", "-q", "-b", "right", "main"]);
    week.write("src/c.rs", "fn c() {}\n");
    week.git("right edits", &["commit", "-q", "-m", "right"]);
    week.quiet(&["branch", "-q", "old-left", "left"]);
    week.quiet(&["checkout", "-q", "left"]);
    week.git("left merges right", &["merge", "-q", "--no-edit", "right"]);
    week.quiet(&["checkout", "-q", "right"]);
    week.git("right merges the old left", &["merge", "-q", "--no-edit", "--no-ff", "old-left"]);
    week.git("criss-cross", &["merge", "-q", "--no-edit", "left"]);

    week.measure(".spec/one", "works");
    week.git("one side of a conflict", &["commit", "-q", "-m", "ours"]);
    week.quiet(&["checkout", "-q", "-b", "theirs", "HEAD~1"]);
    week.measure(".spec/one", "works");
    week.git("the other side", &["commit", "-q", "-m", "theirs"]);
    week.scratch.try_git(&["merge", "-q", "right"]).expect(1);
    let ledger = week.scratch.read(".spec/one/yatsu.evals.ndjson");
    let markers = ["<<<<<<<", "=======", ">>>>>>>"];
    let kept: Vec<&str> = ledger.lines().filter(|line| !markers.iter().any(|m| line.starts_with(m))).collect();
    week.write(".spec/one/yatsu.evals.ndjson", &(kept.join("\n") + "\n"));
    week.git("hand-resolved ledger conflict", &["commit", "-q", "--no-edit"]);
    week.quiet(&["checkout", "-q", "main"]);
    week.git("main takes it all", &["merge", "-q", "--no-edit", "--no-ff", "theirs"]);
}

/// rebase -i with dropped and reordered commits; a cherry-pick to a release branch; a revert; an amend; stash pop.
fn wednesday(week: &Week) {
    week.quiet(&["branch", "-q", "release"]);
    week.quiet(&["checkout", "-q", "-b", "topic"]);
    for name in ["x", "y", "z"] {
        week.write(&format!("src/{name}.rs"), &format!("fn {name}() {{}}\n"));
        week.git(&format!("topic adds {name}"), &["commit", "-q", "-m", name]);
    }
    week.measure("docs/spec/two", "holds");
    week.git("topic measures", &["commit", "-q", "-m", "measured"]);
    let reorder = "sh -c 'sed -n -e 2p -e 1p -e 4p \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"' -";
    week.edited("rebase with a dropped and two reordered commits", &["rebase", "-q", "-i", "HEAD~4"], reorder);
    week.quiet(&["checkout", "-q", "release"]);
    week.git("cherry-pick to the release branch", &["cherry-pick", "topic"]);
    week.quiet(&["checkout", "-q", "main"]);
    week.git("main merges the topic", &["merge", "-q", "--no-edit", "--no-ff", "topic"]);
    week.write("src/b.rs", "fn b() { 2; }\n");
    week.git("an edit", &["commit", "-q", "-m", "edit b"]);
    week.git("its revert", &["revert", "--no-edit", "HEAD"]);
    week.write("src/x.rs", "fn x() { 3; }\n");
    week.git("amend", &["commit", "-q", "--amend", "--no-edit"]);
    week.measure(".spec/one", "works");
    week.quiet(&["stash", "-q"]);
    week.write("src/y.rs", "fn y() { 4; }\n");
    week.git("work in between", &["commit", "-q", "-m", "y"]);
    week.quiet(&["stash", "pop", "-q"]);
    week.git("stash pop", &["commit", "-q", "-a", "-m", "measured before, filed after"]);
}

/// A node renamed, a governed file moved, everything reformatted.
fn thursday(week: &Week) {
    week.quiet(&["mv", ".spec/one", ".spec/uno"]);
    week.git("node renamed", &["commit", "-q", "-m", "rename the node"]);
    week.quiet(&["mv", "src/b.rs", "src/moved.rs"]);
    week.write("docs/spec/two/yatsu.md", &scenarios(&[("holds", "src/moved.rs")]));
    week.git("governed file moved", &["commit", "-q", "-m", "move b"]);
    let file = week.scratch.read(".spec/uno/yatsu.md");
    week.write(
        ".spec/uno/yatsu.md",
        &file.replace("    description: measure works", "    description: >\n      measure\n      works"),
    );
    for name in ["a", "c", "x", "y", "moved"] {
        let text = week.scratch.read(&format!("src/{name}.rs"));
        week.write(&format!("src/{name}.rs"), &text.replace("{", "{\n").replace(" }", "}"));
    }
    week.git("bulk reformat", &["commit", "-q", "-m", "reformat"]);
}

/// A node deleted together with its ledger.
fn friday(week: &Week) {
    week.quiet(&["rm", "-q", "-r", "docs/spec/two"]);
    week.git("node deleted", &["commit", "-q", "-m", "drop two"]);
    week.git("nothing at all", &["commit", "-q", "--allow-empty", "-m", "empty"]);
}
