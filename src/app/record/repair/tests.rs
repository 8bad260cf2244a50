use super::*;
use crate::app::site::fake::Fake;
use crate::model::ledger::{Event, encode_redaction, redact};
use crate::tree::Kind;

const LEDGER: &str = ".spec/node/yatsu.evals.ndjson";

fn reading(second: u8) -> String {
    format!(
        r#"{{"scenario":"works","codeSha":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","blob":null,"evaluator":"manual@1","verdict":{{"status":"pass"}},"ts":"2026-01-01T00:00:{second:02}.000Z"}}"#
    )
}

/// Repairs a ledger of `bytes` while HEAD holds `committed`, and returns the changes and the ledger afterwards.
fn run(bytes: &str, committed: &str, dry_run: bool, restore: Option<&str>) -> (Vec<Mended>, String) {
    let mut fake = Fake::new();
    std::fs::write(fake.file(), bytes).unwrap();
    fake.committed.put(LEDGER, Kind::File, committed.as_bytes());
    let mended = repair(&fake, &fake.store(), dry_run, restore, Timestamp { millis: 0 }, &[]).unwrap().ledgers;
    (mended, String::from_utf8(fake.ledger()).unwrap())
}

fn reasons(mended: &[Mended]) -> Vec<EditReason> {
    mended.iter().flat_map(|one| &one.changes).map(|change| change.reason).collect()
}

#[test]
fn a_sound_ledger_stays_as_it_is() {
    let text = format!("{}\n\n{}\r\n{}", reading(1), reading(2), reading(3));
    assert_eq!(run(&text, "", false, None), (vec![], text));
}

#[test]
fn torn_glued_and_double_lines_are_mended() {
    let (one, two, three) = (reading(1), reading(2), reading(3));
    let text = format!("{one}\n{two}{three}\n{one}\n{}", &two[..30]);
    let (mended, after) = run(&text, "", false, None);
    assert_eq!(reasons(&mended), [EditReason::Glued, EditReason::Duplicate, EditReason::Torn]);
    assert_eq!(mended[0].changes[0].line, 2);
    assert!(mended[0].left.is_empty());
    assert_eq!(after, format!("{one}\n{two}\n{three}\n"));
    assert_eq!(run(&after, "", false, None).0, []);
}

#[test]
fn a_dry_run_shows_the_same_and_writes_nothing() {
    let text = format!("{}\n{}", reading(1), &reading(2)[..30]);
    let (would, after) = run(&text, "", true, None);
    assert_eq!(after, text);
    assert_eq!(would, run(&text, "", false, None).0);
}

#[test]
fn committed_lines_are_never_touched() {
    let (one, two) = (reading(1), reading(2));
    let text = format!("{one}\n{one}\n{one}\n{one}{two}\n{}", &two[..30]);
    let committed = format!("{one}\n{one}\n{one}{two}\n{}", &two[..30]);
    let (mended, after) = run(&text, &committed, false, None);
    // but for a torn end, which was never an event
    assert_eq!(reasons(&mended), [EditReason::Duplicate, EditReason::Torn]);
    assert_eq!(after, format!("{one}\n{one}\n{one}{two}\n"));
    assert_eq!(mended[0].left.len(), 1);
}

#[test]
fn what_only_a_person_can_decide_is_named_and_left() {
    // an unclosed conflict, and a line that is no event
    let text = format!("<<<<<<< HEAD\n{}\n=======\n{}\n[1]\n", reading(1), reading(2));
    let (mended, after) = run(&text, "", false, None);
    assert_eq!(after, text);
    assert_eq!((mended[0].changes.len(), mended[0].left.len()), (0, 3));
}

#[test]
fn lost_lines_come_back_once() {
    let (one, two, three) = (reading(1), reading(2), reading(3));
    let base = format!("{one}\n{two}\n{three}\n");
    let (mended, after) = run(&two, &base, false, Some("HEAD"));
    assert_eq!(reasons(&mended), [EditReason::Lost]);
    assert_eq!(after, format!("{two}\n{one}\n{three}\n"));
    assert_eq!(run(&after, &base, false, Some("HEAD")).0, []);
}

/// Otherwise the forged line would be committed beside the true one, and both carry one time.
#[test]
fn the_line_that_was_made_of_a_restored_one_goes() {
    let (one, two) = (reading(1), reading(2));
    let forged = one.replace("pass", "fail");
    let (mended, after) =
        run(&format!("{forged}\n{two}\n{}\n", reading(3)), &format!("{one}\n{two}\n"), false, Some("HEAD"));
    assert_eq!(reasons(&mended), [EditReason::Edited, EditReason::Lost]);
    assert_eq!(after, format!("{two}\n{}\n{one}\n", reading(3)));
    assert_eq!(run(&after, &format!("{one}\n{two}\n"), false, Some("HEAD")).0, []);
}

#[test]
fn two_lines_of_one_time_that_the_base_holds_both_come_back() {
    let one = reading(1);
    let base = format!("{one}\n{}\n", one.replace("pass", "fail"));
    let (mended, after) = run("", &base, false, Some("HEAD"));
    assert_eq!((reasons(&mended), after), (vec![EditReason::Lost], base));
}

#[test]
fn a_redacted_line_neither_stays_nor_comes_back() {
    let one = reading(1);
    let Some(Event::Redaction(redaction)) = redact(one.as_bytes(), "a name", None) else { panic!("a redaction") };
    let redaction = encode_redaction(&redaction);
    let both = format!("{redaction}\n{one}\n");
    let (mended, after) = run(&both, &both, false, None);
    assert_eq!((reasons(&mended), after), (vec![EditReason::Redacted], format!("{redaction}\n")));
    assert_eq!(mended[0].changes[0].removed, None, "what had to go is not shown");
    assert_eq!(run(&format!("{redaction}\n"), &format!("{one}\n"), false, Some("HEAD")).0, []);
}

#[test]
fn a_lost_ledger_comes_back_when_its_node_is_there() {
    let mut fake = Fake::new();
    fake.committed.put(LEDGER, Kind::File, format!("{}\n", reading(1)).as_bytes());
    repair(&fake, &fake.store(), false, Some("HEAD"), Timestamp { millis: 0 }, &[]).unwrap();
    assert_eq!(fake.ledger(), format!("{}\n", reading(1)).as_bytes());
}

#[test]
fn the_two_sides_of_a_conflict_are_joined_each_line_once() {
    let (base, ours, theirs, both) = (reading(1), reading(2), reading(3), reading(4));
    let text = format!("{base}\n<<<<<<< HEAD\n{ours}\n{both}\n||||||| b\n=======\n{theirs}\n{both}\n>>>>>>> side\n");
    let (mended, after) = run(&text, &format!("{base}\n{ours}\n{both}\n"), false, None);
    assert_eq!(after, format!("{base}\n{ours}\n{both}\n{theirs}\n"));
    let conflict = EditReason::Conflict;
    assert_eq!(reasons(&mended), [conflict, conflict, conflict, EditReason::Duplicate, conflict]);
    assert!(mended[0].left.is_empty());
    let half = format!("<<<<<<< HEAD\n{ours}\n{theirs}\n>>>>>>> side\n");
    let (mended, after) = run(&half, "", false, None);
    assert_eq!((after, mended[0].left.len()), (half, 2), "what is no whole conflict is left to a person");
    assert!(mended[0].left.iter().all(|left| left.help.contains("by hand") && !left.help.contains("repair")));
}
