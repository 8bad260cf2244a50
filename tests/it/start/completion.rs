//! Completion of names in a repository, for the shell.

use crate::support::{Said, Scratch, hermetic, program};

const NAMES: [&str; 4] = ["renders", "a b", "$(reboot)", "it's"];

fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "a\n");
    let entry = |name: &str| {
        let name = serde_json::Value::from(name).to_string();
        format!("  - {{name: {name}, description: d, expected: e, tags: [cli], code: src/a.rs}}\n")
    };
    let hostile = entry("bell\u{7}").replace('\u{7}', "\\u0007");
    let text = format!("---\nscenarios:\n{}{hostile}{}---\n", NAMES.map(entry).concat(), entry("rtl\u{200f}"));
    scratch.write(".spec/board/yatsu.md", text);
    scratch.write(".spec/list/yatsu.md", format!("---\nscenarios:\n{}---\n", entry("sorts")));
    scratch.commit("first");
    scratch.git(&["branch", "feature"]);
    scratch
}

fn asked(scratch: &Scratch, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = scratch.yatsu_command(&[&["--", "yatsu-hook"], words].concat());
    // a machine under load may take longer than a user waits
    command.env("YATSU_PATIENCE", "1000");
    let said = Said::of(command.env("YATSU_COMPLETE", shell).output().expect("the program runs")).expect(0);
    assert_eq!(said.err, "", "{words:?}");
    said.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_name_that_a_shell_would_run_is_quoted_for_it_and_one_that_a_terminal_obeys_is_not_offered() {
    let scratch = repository();
    let scenarios = ["eval", "board", "--scenario", ""];
    assert_eq!(asked(&scratch, "bash", &scenarios), ["'$(reboot)'", "'a b'", "\"it's\"", "renders"]);
    for shell in ["zsh", "fish", "/usr/bin/zsh"] {
        assert_eq!(
            asked(&scratch, shell, &scenarios),
            ["$(reboot)", "a b", "it's", "renders"],
            "they quote what they insert"
        );
    }
    // bash itself reads it as one word
    let script = format!(
        "export YATSU_PATIENCE=1000; source <(YATSU_COMPLETE=bash '{0}'); COMP_WORDS=('{0}' eval board --scenario ''); COMP_CWORD=4; \
         _yatsu_hook '{0}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"; eval \"printf '<%s>\\n' ${{COMPREPLY[0]}}\"",
        program().display()
    );
    let mut bash = hermetic("bash", &scratch.home());
    let said = Said::of(bash.current_dir(&scratch.root).args(["-c", &script]).output().expect("bash")).expect(0);
    assert!(said.out.starts_with("'$(reboot)'\n") && said.out.ends_with("<$(reboot)>\n"), "{}{}", said.out, said.err);
}

#[test]
fn nodes_tags_branches_and_what_was_typed_so_far_are_offered() {
    let scratch = repository();
    assert_eq!(asked(&scratch, "bash", &["eval", "b"]), ["board"]);
    assert_eq!(asked(&scratch, "bash", &["show", ".spec/"]), [".spec/board", ".spec/list"]);
    assert_eq!(asked(&scratch, "bash", &["eval", "list", "--scenario=s"]), ["--scenario=sorts"]);
    assert_eq!(asked(&scratch, "fish", &["ls", "--tag", "c"]), ["cli"]);
    assert_eq!(asked(&scratch, "zsh", &["patch", "show", "f"]), ["feature"]);
    assert_eq!(asked(&scratch, "bash", &["explain", "yatsu-dr"]), ["yatsu-drift"]);
    assert_eq!(asked(&scratch, "bash", &["ev"]), ["eval", "evidence"]);
}

#[test]
fn in_doubt_nothing_is_said_and_a_variable_left_behind_switches_no_gate_off() {
    let scratch = repository();
    for words in [&["eval", "nobody", "--scenario", ""][..], &["eval", "'b"], &["nope", ""], &["new", ""]] {
        assert_eq!(asked(&scratch, "bash", words), [""; 0], "{words:?}");
    }
    let mut outside = hermetic(program(), &scratch.home());
    outside.current_dir(scratch.home()).env("YATSU_COMPLETE", "bash").args(["--", "yatsu-hook", "eval", ""]);
    let said = Said::of(outside.output().unwrap()).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    let mut unknown = scratch.yatsu_command(&[]);
    assert_eq!(Said::of(unknown.env("YATSU_COMPLETE", "tcsh").output().unwrap()).expect(0).out, "");
    scratch.write(".spec/list/yatsu.md", crate::support::BAD);
    scratch.git(&["add", "."]);
    let mut hook = scratch.yatsu_command(&["pre-commit"]);
    Said::of(hook.env("YATSU_COMPLETE", "bash").output().unwrap()).expect(1);
}
