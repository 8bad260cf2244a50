//! `next`: the scenarios to measure now, and an empty answer.

use super::somebodys;
use crate::support::{Scratch, one_node, reading, scenarios, validate_published};
use serde_json::{Value, json};

/// Nodes `a` (stale), `b` (never measured), `c` (a fresh fail) and `d` (fresh).
fn four() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("spexcode.json", "{\"yatsu\":{\"evidenceFor\":{\"cli\":[\"transcript\",\"image\"]}}}");
    for node in ["a", "b", "c", "d"] {
        scratch.write(&format!("src/{node}.rs"), "1\n");
        scratch.write(&format!(".spec/{node}/yatsu.md"), scenarios(&[("works", &format!("src/{node}.rs"))]));
    }
    scratch.commit("first");
    for (node, status) in [("a", "pass"), ("c", "fail"), ("d", "pass")] {
        reading(&scratch, &format!(".spec/{node}"), "works", status, 1);
    }
    scratch.write("src/a.rs", "2\n");
    scratch.commit("measured, then changed");
    scratch
}

fn asked(scratch: &Scratch, args: &[&str]) -> Value {
    validate_published(&scratch.yatsu(&[&["next", "--format", "json"], args].concat()).expect(0).out)
}

fn nodes(answer: &Value) -> Vec<String> {
    let next = answer["next"].as_array().expect("a list");
    next.iter()
        .map(|row| format!("{} {}", row["node"].as_str().expect("text"), row["why"].as_str().expect("text")))
        .collect()
}

#[test]
fn what_is_next_is_what_a_claim_would_take_and_nothing_is_taken() {
    let scratch = four();
    scratch.git(&["config", "user.name", "Ann"]);
    let first = asked(&scratch, &[]);
    assert_eq!((nodes(&first), &first["remaining"]), (vec!["b missing".to_owned()], &json!(1)));
    assert_eq!(nodes(&asked(&scratch, &["--limit", "0"])), ["b missing", "a stale"]);
    assert_eq!(nodes(&asked(&scratch, &["--limit", "0", "--failing"])), ["b missing", "a stale", "c failing"]);
    assert_eq!(nodes(&asked(&scratch, &["a", "--tag", "cli"])), ["a stale"]);
    assert_eq!(scratch.yatsu(&["claim", "ls"]).expect(0).out, "", "nothing was taken");
    let all = asked(&scratch, &["--limit", "0", "--failing"]);
    for expected in nodes(&all) {
        let taken = scratch.yatsu(&["claim", "next", "--failing", "--format", "json"]).expect(0).out;
        let taken: Value = serde_json::from_str(&taken).unwrap();
        assert_eq!(taken["claims"][0]["node"], format!(".spec/{}", &expected[..1]));
    }
    let own = asked(&scratch, &["--limit", "0", "--failing"]);
    assert_eq!(nodes(&own), nodes(&all), "whoever asks holds them");
    scratch.git(&["config", "user.name", "Bob"]);
    let held = asked(&scratch, &["--limit", "0", "--failing"]);
    assert_eq!((nodes(&held).len(), held["passedOver"].as_array().unwrap().len()), (0, 3));
    assert!(held["passedOver"][0]["reason"].as_str().unwrap().contains("Ann"), "{held}");
    let told = scratch.yatsu(&["next", "-v"]).expect(0);
    assert!(told.out.contains("2 passed over") && told.err.contains("passed over b"), "{}{}", told.out, told.err);
}

#[test]
fn a_person_reads_what_to_do_and_the_command_that_files_it() {
    let scratch = four();
    insta::assert_snapshot!(scratch.yatsu(&["next", "a"]).expect(0).out, @r"
    a/works  stale, was pass
      do        measure works
      expected  works works
      tags      cli
      moved     src/a.rs
      evidence  a pass needs image (--image FILE) or transcript (--result FILE)
      then      yatsu-hook eval .spec/a/works --pass   (or --fail)
    ");
    let one = scratch.yatsu(&["next"]).expect(0).out;
    assert!(one.starts_with("b/works  missing\n"), "{one}");
    assert!(one.ends_with("\n\nand 1 more: yatsu-hook next --limit 0\n"), "{one}");
    assert_eq!(scratch.yatsu(&["next", "d"]).expect(0).out, "nothing needs measuring\n");
}

#[test]
fn a_fresh_fail_is_failing_and_is_named_where_nothing_else_needs_measuring() {
    let scratch = four();
    let failing = scratch.yatsu(&["next", "c", "--failing"]).expect(0).out;
    assert!(failing.starts_with("c/works  failing\n"), "{failing}");
    let said = "nothing needs measuring; 1 scenario failed, and nothing has changed since: yatsu-hook next --failing\n";
    assert_eq!(scratch.yatsu(&["next", "c"]).expect(0).out, said);
    assert_eq!(scratch.yatsu(&["next", "c", "d"]).expect(0).out, said);
    assert_eq!(scratch.yatsu(&["next", "d"]).expect(0).out, "nothing needs measuring\n");
    let all = scratch.yatsu(&["next", "--limit", "0"]).expect(0).out;
    assert!(!all.contains("--failing"), "there is something to measure: {all}");
    scratch.git(&["config", "user.name", "Ann"]);
    scratch.yatsu(&["claim", "take", "c"]).expect(0);
    let held = scratch.yatsu(&["next", "c", "--failing"]).expect(0).out;
    assert!(held.starts_with("c/works  failing, claimed by Ann until "), "{held}");
    let claimed = scratch.yatsu(&["claim", "next", "c", "--as", "Bob"]).expect(1).err;
    assert!(
        claimed.contains("1 scenario failed, and nothing has changed since: yatsu-hook claim next --failing"),
        "{claimed}"
    );
}

#[test]
fn the_command_of_an_answer_run_blindly_files_nothing() {
    let scratch = four();
    for row in asked(&scratch, &["--limit", "0"])["next"].as_array().unwrap() {
        let argv: Vec<&str> = row["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let said = scratch.yatsu(&argv[1..]).expect(2);
        assert!(said.err.contains("--pass") && said.err.ends_with("FAILED: nothing filed\n"), "{}", said.err);
        assert_eq!(row["append"], json!([["--pass"], ["--fail"]]));
        assert_eq!(
            (&row["evidence"], &row["file"]),
            (&json!(["image", "transcript"]), &json!(["--image", "--result"]))
        );
        scratch.yatsu(&[&argv[1..], &["--fail"]].concat()).expect(0);
    }
    assert_eq!(nodes(&asked(&scratch, &["--limit", "0"])), [""; 0]);
}

#[test]
fn every_empty_answer_says_how_one_begins_and_hooks_and_machines_stay_silent() {
    let scratch = somebodys();
    let invitation = "no scenarios here yet; start: yatsu-hook new NODE --code PATH\n";
    for args in [&["scan"][..], &["ls"], &["next"], &["check"], &["check", "--staged"]] {
        let said = scratch.yatsu(args).expect(0);
        assert_eq!(said.err, invitation, "{args:?}");
        let quiet = scratch.yatsu(&[args, &["-q"]].concat()).expect(0);
        assert_eq!(quiet.err, "", "{args:?}");
        let machine = scratch.yatsu(&[args, &["--format", "json"]].concat()).expect(0);
        assert_eq!(machine.err, "", "{args:?}");
    }
    assert_eq!(scratch.yatsu(&["next"]).expect(0).out, "nothing needs measuring\n");
    for flag in ["--badge", "--html"] {
        let file = format!("../{}.{}", &flag[2..], if flag == "--badge" { "json" } else { "html" });
        assert_eq!(scratch.yatsu(&["report", flag, &file]).expect(0).err, invitation);
        let machine = scratch.yatsu(&["report", flag, &file, "--force", "--format", "json"]).expect(0);
        assert_eq!(machine.err, "", "{flag}");
    }
    let show = scratch.yatsu(&["show"]).expect(2);
    assert!(show.err.starts_with(invitation), "{}", show.err);
    scratch.write("src/greet.rs", "pub fn greet() { }\n");
    scratch.git(&["add", "."]);
    for args in [&["pre-commit"][..], &["run"]] {
        let said = scratch.yatsu(args).expect(0);
        assert_eq!((said.out, said.err), (String::new(), String::new()), "{args:?}");
    }
    let there = one_node();
    for args in [&["ls", "--stale"][..], &["scan", "--tag", "mobile"], &["next", "--tag", "mobile"]] {
        let said = there.yatsu(args).expect(0);
        assert!(!said.err.contains("no scenarios here yet"), "{args:?}: {}", said.err);
    }
}
