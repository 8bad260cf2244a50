//! The drawn example of the documentation page: its Mermaid source must be the program's output. `YATSU_UPDATE_TOUR=1`
//! writes it into the page instead.

use super::at;
use crate::support::{Scratch, sha256};
use serde_json::json;
use std::fs;
use std::path::Path;

/// The repository of the page's story, with fixed times.
fn story() -> Scratch {
    let s = Scratch::new();
    s.write("src/board.rs", "fn draw() {}\n");
    let page = fs::read_to_string(page()).expect("the page");
    let file =
        page.split("<<'END'\n").nth(1).and_then(|rest| rest.split("    END\n").next()).expect("the scenario file");
    s.write(
        ".spec/board/yatsu.md",
        file.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect::<String>(),
    );
    s.commit("first");
    s
}

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graph.md")
}

fn board(s: &Scratch, status: &str, minute: u32, note: Option<&str>) {
    let line = json!({"scenario": "draws", "codeSha": s.git(&["rev-parse", "HEAD"]), "blob": sha256(status),
        "blobKind": "transcript", "evaluator": "manual@1", "by": "Ann", "run": "fix",
        "verdict": {"status": status, "note": note}, "ts": at(minute)});
    let path = ".spec/board/yatsu.evals.ndjson";
    let ledger = fs::read_to_string(s.root.join(path)).unwrap_or_default();
    s.write(path, format!("{ledger}{line}\n"));
}

#[test]
fn the_page_draws_what_the_program_prints() {
    let s = story();
    board(&s, "fail", 1, Some("one card is missing"));
    s.write(
        ".yatsu/runs/fix.jsonl",
        "{\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"_index\",\"schema_version\":\"1.0.0\",\"event_types\":[\"run_start\",\"hypothesis\"]}\n\
         {\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"run_start\"}\n\
         {\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"hypothesis\",\"text\":\"the list is cut at ten\",\"failure\":\"board#draws\"}\n",
    );
    s.write("src/board.rs", "fn draw() { all() }\n");
    s.commit("mended");
    board(&s, "pass", 3, None);
    let shown = ["goal", "task", "run", "observation", "failure", "hypothesis", "file"];
    let mut args = vec!["graph", "show", "goal:board", "--depth", "3", "--format", "mermaid"];
    shown.iter().for_each(|kind| args.extend(["--kind", kind]));
    let drawn = s.yatsu(&args).expect(0).out;
    let text = fs::read_to_string(page()).expect("the page");
    let (before, rest) = text.split_once("```mermaid\n").expect("a drawing");
    let (fence, after) = rest.split_once("```\n").expect("its end");
    if std::env::var_os("YATSU_UPDATE_TOUR").is_some() {
        fs::write(page(), format!("{before}```mermaid\n{drawn}```\n{after}")).expect("written");
        return;
    }
    assert_eq!(drawn, fence);
}
