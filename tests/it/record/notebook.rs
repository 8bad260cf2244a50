//! Notebooks as results: the printed outputs of their cells are read like a transcript.

use super::*;
use crate::support::{fed, sha256};
use serde_json::{Value, json};

const CONTRACT: &str = "goal_contract:\n  version: 1\n  goal_text: Tell wines apart\n  acceptance_criteria:\n    - {id: AC1, kind: metric_threshold, metric: accuracy, op: \">=\", target: 0.9}\n";

/// One node with a contract, committed.
fn contracted() -> Scratch {
    let scratch = repository("");
    let file = ".spec/board/yatsu.md";
    let text = scratch.read(file).replacen("---\n", &format!("---\n{CONTRACT}"), 1);
    scratch.write(file, text);
    scratch.commit("say what is enough");
    scratch
}

/// A notebook of format 4 with one code cell that has these outputs.
fn notebook(outputs: &Value) -> String {
    let cell = json!({"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs,
                      "source": ["print('[METRIC:source] 1')\n", "[METRIC:source] 1"]});
    let text = json!({"cell_type": "markdown", "metadata": {}, "source": ["[METRIC:prose] 1\n"]});
    let all = json!({"cells": [text, cell], "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5});
    serde_json::to_string_pretty(&all).expect("JSON")
}

#[test]
fn what_the_cells_of_a_notebook_print_is_in_the_line() {
    let s = contracted();
    let outputs = json!([
        {"output_type": "stream", "name": "stdout", "text": ["[METRIC:accuracy] 0.9", "2\n", "[STAT:ci] [0.90, 0.94]\n", "[STAT:effect_size] 0.8\n", "[FINDING] \"one\" \u{e9}\n"]},
        {"output_type": "stream", "name": "stderr", "text": "[METRIC:loss] 0.1"},
        {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": "[METRIC:html] 1", "text/plain": ["[METRIC:shape] 3"]}},
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u{1b}[0;31mE\u{1b}[0m", "[METRIC:error] 7"]}
    ]);
    s.write("run.ipynb", notebook(&outputs));
    let said = eval(&s, &["--pass", "--result", "run.ipynb"]).expect(0);
    let line = last(&s);
    assert_eq!(line["metrics"], json!({"accuracy": 0.92, "error": 7, "loss": 0.1, "shape": 3}), "{}", said.err);
    assert_eq!(line["findings"]["verified"], 1);
    let goal = s.yatsu(&["goal", "check", "board", "--format", "json"]).expect(0);
    let goal: Value = serde_json::from_str(&goal.out).expect("JSON");
    assert_eq!(goal["goals"][0]["status"], "SUCCESS", "its bytes say it again: {goal:#}");
    assert_eq!(goal["goals"][0]["trustGate"]["score"], 100, "{goal:#}");
}

#[test]
fn a_notebook_of_format_three_is_read() {
    let s = contracted();
    let outputs = json!([
        {"output_type": "stream", "stream": "stdout", "text": ["[METRIC:accuracy] 0.92\n"]},
        {"output_type": "pyout", "prompt_number": 1, "text": ["[METRIC:shape] 3"]},
        {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["[METRIC:error] 7"]}
    ]);
    let all = json!({"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0,
                     "worksheets": [{"cells": [{"cell_type": "code", "input": ["[METRIC:source] 1"], "outputs": outputs}]}]});
    s.write("run.ipynb", all.to_string());
    eval(&s, &["--pass", "--result", "run.ipynb"]).expect(0);
    assert_eq!(last(&s)["metrics"], json!({"accuracy": 0.92, "error": 7, "shape": 3}));
}

#[test]
fn a_malformed_marker_of_a_notebook_is_told() {
    let s = contracted();
    s.write(
        "run.ipynb",
        notebook(&json!([{"output_type": "stream", "name": "stdout", "text": ["a\n", "[METRIC:accuracy] 1,000\n"]}])),
    );
    let said = eval(&s, &["--pass", "--result", "run.ipynb"]).expect(0);
    assert!(said.err.contains("line 2 of its cells' output is not recorded"), "{}", said.err);
}

#[test]
fn a_notebook_of_an_unknown_format_is_told_and_not_read() {
    let s = contracted();
    let text = notebook(&json!([{"output_type": "stream", "name": "stdout", "text": "[METRIC:accuracy] 0.92\n"}]));
    s.write("run.ipynb", text.replace("\"nbformat\": 4", "\"nbformat\": 5"));
    let said = eval(&s, &["--pass", "--result", "run.ipynb"]).expect(0);
    assert!(said.err.contains("nbformat 5"), "{}", said.err);
    assert_eq!(last(&s)["metrics"], Value::Null);
}

#[test]
fn other_json_is_no_notebook() {
    let s = contracted();
    let text = notebook(&json!([{"output_type": "stream", "name": "stdout", "text": "[METRIC:accuracy] 0.92\n"}]));
    for other in [
        text.replace("\"nbformat\": 4,", ""),
        text.replace("\"cells\"", "\"calls\""),
        format!("[{text}]"),
        text[..text.len() - 2].to_owned(),
    ] {
        let said = fed(s.yatsu_command(&["eval", "board", "--pass", "--result", "-"]), &other).expect(0);
        assert_eq!(last(&s)["metrics"], Value::Null, "{other}: {}", said.err);
    }
}

#[test]
fn a_notebook_that_is_not_here_is_not_said_to_show_nothing() {
    let s = contracted();
    let text = notebook(&json!([{"output_type": "stream", "name": "stdout", "text": "[METRIC:accuracy] 0.92\n"}]));
    s.write("run.ipynb", &text);
    eval(&s, &["--pass", "--result", "run.ipynb"]).expect(0);
    std::fs::remove_file(blobs(&s).join(sha256(&text))).expect("removed");
    let goal = s.yatsu(&["goal", "check", "board", "--format", "json"]).expect(0);
    let goal: Value = serde_json::from_str(&goal.out).expect("JSON");
    assert_eq!(goal["goals"][0]["goalGate"]["criteriaResults"][0]["unverified"], true, "{goal:#}");
}
