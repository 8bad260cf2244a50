//! Answers without content: they explain how to get some.

use crate::support::Scratch;

#[test]
fn every_empty_list_says_how_one_begins_to_people_alone() {
    let scratch = Scratch::new();
    scratch.commit("nothing of ours");
    for (list, how) in [
        (&["ls"][..], "yatsu-hook new NODE --code PATH"),
        (&["next"], "yatsu-hook new NODE --code PATH"),
        (&["runlog", "ls"], "yatsu-hook runlog start"),
        (&["evidence", "ls"], "yatsu-hook eval NODE/SCENARIO --pass --result FILE"),
        (&["claim", "ls"], "yatsu-hook claim next"),
    ] {
        let said = scratch.yatsu(list).expect(0);
        assert!(said.err.ends_with(&format!(": {how}\n")), "{list:?}: {}", said.err);
        for silent in [&["-q"][..], &["--format", "json"]] {
            assert_eq!(scratch.yatsu(&[silent, list].concat()).expect(0).err, "", "{list:?} {silent:?}");
        }
    }
    let nothing = scratch.yatsu(&["claim", "next", "--as", "ann"]).expect(1);
    assert!(!nothing.err.contains("passed over") && nothing.err.contains("yatsu-hook new"), "{}", nothing.err);
}
