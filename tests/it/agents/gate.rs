//! `gate-lowered` for changes that keep a harness from calling this program.

use crate::support::{Scratch, findings, one_node};
use std::fs;

/// A repository with a node, and the entries of `harness` committed.
fn installed(harness: &str) -> Scratch {
    let s = one_node();
    s.yatsu(&["agent", "install", "--for", harness]).expect(0);
    s.commit("installed");
    s
}

/// What the gate says of the staged change.
fn lowered(s: &Scratch) -> Vec<String> {
    s.git(&["add", "-A", "-f"]);
    let found = findings(s, "gate-lowered", &["--staged"]);
    let text = |finding: &serde_json::Value| {
        format!("{}: {}", finding["path"].as_str().expect("a path"), finding["message"].as_str().expect("text"))
    };
    // the fast path before a commit says the same
    let said = s.yatsu(&["pre-commit"]);
    assert_eq!(said.err.matches("[gate-lowered]").count(), found.len(), "{}", said.err);
    found.iter().map(text).collect()
}

/// One row of the table: the harness, its file, the change of the file, and the finding.
macro_rules! ways {
    ($($name:ident: $harness:literal, $file:literal, $change:expr, [$($said:literal),*];)+) => {$(
        #[test]
        fn $name() {
            let s = installed($harness);
            let before = fs::read_to_string(s.root.join($file)).unwrap_or_default();
            let change: fn(&str) -> Option<String> = $change;
            match change(&before) {
                Some(after) => s.write($file, after),
                None => fs::remove_file(s.root.join($file)).expect("removed"),
            }
            let wanted: Vec<String> = vec![$(concat!($file, ": ", $said).to_owned()),*];
            assert_eq!(lowered(&s), wanted);
        }
    )+};
}

ways! {
    an_entry_that_is_removed: "claude", ".claude/settings.json",
        |text| Some(text.replacen("yatsu-hook agent event", "true", 4).replacen("(true || true)", "(yatsu-hook agent event || true)", 3)),
        ["claude no longer runs `agent event` at Stop"];
    an_event_that_is_removed: "cursor", ".cursor/hooks.json",
        |text| Some(text.replace("\"stop\"", "\"sessionEnd\"")),
        ["cursor no longer runs `agent event` at stop"];
    a_tool_that_is_removed: "claude", ".claude/settings.json",
        |text| Some(text.replacen("Bash|Edit|Write", "Edit|Write", 1)),
        ["claude no longer runs `agent event` at PostToolUse for Bash"];
    all_entries_that_are_removed: "gemini", ".gemini/settings.json",
        |_| Some("{}".to_owned()),
        ["gemini no longer runs `agent event`: its entries are gone"];
    a_file_that_is_deleted: "codex", ".codex/hooks.json",
        |_| None,
        ["codex no longer runs `agent event`: this file is gone"];
    a_file_that_is_made_unreadable: "copilot", ".github/hooks/yatsu-hook.json",
        |text| Some(format!("{text}}}")),
        ["copilot no longer runs `agent event`: this file cannot be read"];
    // A32
    disable_all_hooks_in_the_settings_of_claude: "claude", ".claude/settings.json",
        |text| Some(text.replacen('{', "{\"disableAllHooks\": true,", 1)),
        ["claude runs no hook of yatsu-hook: disableAllHooks is true"];
    disable_all_hooks_in_the_local_settings_of_claude: "claude", ".claude/settings.local.json",
        |_| Some("{\"disableAllHooks\": true}".to_owned()),
        ["claude runs no hook of yatsu-hook: disableAllHooks is true"];
    disable_all_hooks_in_the_settings_of_copilot: "copilot", ".github/copilot/settings.json",
        |_| Some("{\"disableAllHooks\": true}".to_owned()),
        ["copilot runs no hook of yatsu-hook: disableAllHooks is true"];
    disable_all_hooks_in_the_local_settings_of_copilot: "copilot", ".github/copilot/settings.local.json",
        |_| Some("{\"disableAllHooks\": true}".to_owned()),
        ["copilot runs no hook of yatsu-hook: disableAllHooks is true"];
    disable_all_hooks_in_another_file_of_hooks_of_copilot: "copilot", ".github/hooks/other.json",
        |_| Some("{\"version\": 1, \"disableAllHooks\": true}".to_owned()),
        ["copilot runs no hook of yatsu-hook: disableAllHooks is true"];
    disable_all_hooks_in_the_settings_of_claude_which_copilot_reads_too: "copilot", ".claude/settings.json",
        |_| Some("{\"disableAllHooks\": true}".to_owned()),
        ["copilot runs no hook of yatsu-hook: disableAllHooks is true"];
    an_environment_that_switches_our_hooks_off: "claude", ".claude/settings.local.json",
        |_| Some("{\"env\": {\"YATSU_HOOK\": \"0\"}}".to_owned()),
        ["claude runs no hook of yatsu-hook: env has YATSU_HOOK=0"];
    an_environment_that_skips_our_hooks: "claude", ".claude/settings.local.json",
        |_| Some("{\"env\": {\"SKIP\": \"lint,yatsu-hook\"}}".to_owned()),
        ["claude runs no hook of yatsu-hook: env has SKIP=yatsu-hook"];
    an_entry_that_runs_beside_the_agent: "claude", ".claude/settings.json",
        |text| Some(text.replace("\"type\": \"command\"", "\"type\": \"command\", \"async\": true")),
        ["claude no longer runs `agent event`: its entries are gone"];
    // the words stay, and the entry says nothing
    an_entry_that_is_only_printed: "claude", ".claude/settings.json",
        |text| Some(text.replace("(yatsu-hook agent event || true)", "echo '(yatsu-hook agent event || true)'")),
        ["claude no longer runs `agent event`: its entries are gone"];
    an_entry_that_is_switched_off_by_a_variable: "gemini", ".gemini/settings.json",
        |text| Some(text.replace("(yatsu-hook", "(YATSU_HOOK=0 yatsu-hook")),
        ["gemini no longer runs `agent event`: its entries are gone"];
    an_entry_with_an_answer_that_goes_nowhere: "cursor", ".cursor/hooks.json",
        |text| Some(text.replace("event || true)", "event >/dev/null || true)")),
        ["cursor no longer runs `agent event`: its entries are gone"];
    an_entry_behind_a_command_that_fails: "codex", ".codex/hooks.json",
        |text| Some(text.replace("(yatsu-hook", "false && (yatsu-hook")),
        ["codex no longer runs `agent event`: its entries are gone"];
    an_entry_without_time_of_claude: "claude", ".claude/settings.json",
        |text| Some(text.replace("\"timeout\": 10", "\"timeout\": 0")),
        ["claude no longer runs `agent event`: its entries are gone"];
    an_entry_without_time_of_codex: "codex", ".codex/hooks.json",
        |text| Some(text.replace("\"timeout\": 10", "\"timeout\": 0")),
        ["codex no longer runs `agent event`: its entries are gone"];
    an_entry_without_time_of_cursor: "cursor", ".cursor/hooks.json",
        |text| Some(text.replace("\"timeout\": 10", "\"timeout\": 0")),
        ["cursor no longer runs `agent event`: its entries are gone"];
    an_entry_with_a_moment_of_time_of_gemini: "gemini", ".gemini/settings.json",
        |text| Some(text.replace("\"timeout\": 10000", "\"timeout\": 10")),
        ["gemini no longer runs `agent event`: its entries are gone"];
    an_entry_without_time_of_copilot: "copilot", ".github/hooks/yatsu-hook.json",
        |text| Some(text.replace("\"timeoutSec\": 10", "\"timeoutSec\": 0")),
        ["copilot no longer runs `agent event`: its entries are gone"];
    a_stop_of_cursor_that_may_never_speak: "cursor", ".cursor/hooks.json",
        |text| Some(text.replace("\"loop_limit\": 1", "\"loop_limit\": 0")),
        ["cursor no longer runs `agent event` at stop"];
    a_stop_of_cursor_without_a_limit: "cursor", ".cursor/hooks.json",
        |text| Some(text.replace("\"loop_limit\": 1", "\"loop_limit\": null")),
        [];
    an_entry_for_a_user_in_the_place_of_one_for_a_project: "claude", ".claude/settings.json",
        |text| Some(text.replace("agent event", "agent event --user")),
        ["claude no longer runs `agent event`: its entries are gone"];
    a_path_in_the_place_of_the_plain_name: "claude", ".claude/settings.json",
        |text| Some(text.replace("yatsu-hook agent", "'/nonexistent/yatsu-hook' agent")),
        ["claude no longer runs `agent event`: its entries are gone"];
    a_key_that_codex_refuses: "codex", ".codex/hooks.json",
        |text| Some(text.replacen('{', "{\"version\": 1,", 1)),
        ["codex no longer runs `agent event`: this file cannot be read"];
    a_second_file_that_only_the_harness_can_read: "claude", ".claude/settings.local.json",
        |_| Some("{\"disableAllHooks\": false, \"disableAllHooks\": true}".to_owned()),
        ["claude may run no hook of yatsu-hook: this file cannot be read"];
    another_command_for_windows: "codex", ".codex/hooks.json",
        |text| Some(text.replacen("\"commandWindows\": \"yatsu-hook agent event\"", "\"commandWindows\": \"exit 0\"", 1)),
        ["codex no longer runs `agent event` at SessionStart"];
    another_command_for_the_other_systems: "copilot", ".github/hooks/yatsu-hook.json",
        |text| Some(text.replacen("\"command\":", "\"bash\": \"true\", \"command\":", 1)),
        ["copilot no longer runs `agent event` at SessionStart"];
    the_command_for_windows_that_is_removed: "copilot", ".github/hooks/yatsu-hook.json",
        |text| Some(text.replacen("\"powershell\": \"yatsu-hook agent event\",", "", 1)),
        ["copilot no longer runs `agent event` on Windows at SessionStart"];
    the_key_for_windows_by_its_other_name: "codex", ".codex/hooks.json",
        |text| Some(text.replace("commandWindows", "command_windows")),
        [];
    hooks_of_gemini_that_are_disabled: "gemini", ".gemini/settings.json",
        |text| Some(text.replacen('{', "{\"hooksConfig\": {\"enabled\": false},", 1)),
        ["gemini runs no hook of yatsu-hook: hooksConfig.enabled is false"];
    our_hook_among_the_disabled_ones_of_gemini: "gemini", ".gemini/settings.json",
        |text| Some(text.replacen('{', "{\"hooksConfig\": {\"disabled\": [\"(yatsu-hook agent event || true)\"]},", 1)),
        ["gemini runs no hook of yatsu-hook: disabled names yatsu-hook"];
    the_feature_of_codex_that_is_switched_off: "codex", ".codex/config.toml",
        |_| Some("[features]\nhooks = false\n".to_owned()),
        ["codex runs no hook of yatsu-hook: features.hooks is false"];
    the_older_feature_of_codex_that_is_switched_off: "codex", ".codex/config.toml",
        |_| Some("[features]\ncodex_hooks = false\n".to_owned()),
        ["codex runs no hook of yatsu-hook: features.codex_hooks is false"];
    local_settings_that_switch_nothing_off: "claude", ".claude/settings.local.json",
        |_| Some("{}".to_owned()),
        [];
    another_setting: "gemini", ".gemini/settings.json",
        |text| Some(text.replacen('{', "{\"ui\": {}, // a comment\n", 1).replace("10000", "20000")),
        [];
}

#[test]
fn nothing_is_lowered_where_the_base_had_no_entry_or_the_switch_was_there() {
    let s = one_node();
    s.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    assert_eq!(lowered(&s), [] as [&str; 0]);
    s.commit("off before");
    s.yatsu(&["agent", "install", "--for", "claude"]).expect(0);
    assert_eq!(lowered(&s), [] as [&str; 0], "it comes back");
    s.commit("installed");
    s.write(".claude/settings.json", s.read(".claude/settings.json").replace("10", "20"));
    assert_eq!(lowered(&s), [] as [&str; 0]);
    fs::remove_file(s.root.join(".claude/settings.json")).expect("removed");
    s.yatsu(&["agent", "install", "--for", "claude,codex"]).expect(0);
    assert_eq!(lowered(&s), [] as [&str; 0], "moved and complete");
}

#[test]
fn a_push_and_a_range_name_it_too() {
    let s = installed("codex");
    fs::remove_file(s.root.join(".codex/hooks.json")).expect("removed");
    s.commit("gone");
    let found = findings(&s, "gate-lowered", &["--from", "HEAD~1", "--to", "HEAD"]);
    assert_eq!(found.len(), 1, "{found:?}");
    s.git(&["init", "-q", "--bare", "../remote.git"]);
    s.git(&["remote", "add", "origin", "../remote.git"]);
    s.git(&["push", "-q", "--no-verify", "origin", "HEAD~1:refs/heads/main"]);
    s.git(&["fetch", "-q", "origin"]);
    s.hook("pre-push", "pre-push \"$@\"");
    let said = s.try_git(&["push", "origin", "main"]);
    assert!(said.err.contains("codex no longer runs `agent event`: this file is gone"), "{}", said.err);
}

#[test]
fn entries_that_move_to_a_file_that_no_harness_reads_are_gone() {
    let s = installed("claude");
    s.git(&["mv", ".claude/settings.json", ".claude/settings-old.json"]);
    assert_eq!(lowered(&s), [".claude/settings.json: claude no longer runs `agent event`: this file is gone"]);
}
