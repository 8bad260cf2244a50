//! What the file of a framework says about the program: at which events it calls it. A file that cannot be read as YAML, JSON or
//! TOML is asked line by line. Reads, never writes.

use super::hook_file::calls;
use super::shim::HookEvent;
use crate::text::frontmatter::Frontmatter;
use crate::text::yaml::{self, YamlKind};
use serde_json::Value;

/// Whether the file calls the program at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileCall {
    Yes,
    No,
    /// It names the program, and these words of it keep the event out.
    LeftOut(String),
}

impl FileCall {
    pub(super) fn of(is_called: bool) -> Self {
        if is_called { Self::Yes } else { Self::No }
    }
}

/// How a framework's file is read.
pub(super) type Reader = fn(&str, &[u8], HookEvent) -> FileCall;

/// The map that the file holds; `None` for another language, and if a part of it was not understood.
fn top(file: &str, content: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(content).ok()?;
    if file.ends_with(".toml") {
        return toml::from_str(text).ok();
    }
    let is_yaml = [".yml", ".yaml", ".json", ".jsonc"].iter().any(|end| file.ends_with(end));
    // JSON is YAML, but for the comments that some programs allow in it
    let is_comment = |line: &&str| file.ends_with(".jsonc") && line.trim_start().starts_with("//");
    let block: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    let block = block.join("\n") + "\n";
    let parsed = is_yaml.then(|| yaml::parse(&Frontmatter { block: block.as_bytes(), offset: 0, first_line: 1 }))?;
    let is_whole = parsed.faults.is_empty() && !parsed.cut_short;
    parsed.value.filter(|_| is_whole).map(|value| plain(value.kind)).filter(Value::is_object)
}

/// A value of YAML without its places; each scalar is its text.
fn plain(of: YamlKind) -> Value {
    match of {
        YamlKind::Scalar(scalar) => Value::String(scalar.text),
        YamlKind::Sequence(list) => list.into_iter().map(|one| plain(one.kind)).collect(),
        YamlKind::Mapping(map) => map.into_iter().map(|entry| (entry.key, plain(entry.value.kind))).collect(),
        YamlKind::Refused => Value::Null,
    }
}

fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of[key].as_str().unwrap_or_default()
}

/// The values in the list under `key`.
fn list<'v>(of: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    of[key].as_array().into_iter().flatten()
}

/// Every text of a value. A job with `skip: true` never runs.
fn texts(of: &Value, found: &mut Vec<String>) {
    match of {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|one| texts(one, found)),
        Value::Object(map) if map.get("skip").is_some_and(|skip| *skip == true || *skip == "true") => {}
        Value::Object(map) => map.values().for_each(|one| texts(one, found)),
        _ => {}
    }
}

/// `.pre-commit-config.yaml`, and `prek.toml`.
pub(super) fn pre_commit(file: &str, content: &[u8], event: HookEvent) -> FileCall {
    let Some(top) = top(file, content) else {
        let is_call = |line: &str| ["id:", "id =", "id=", "entry"].iter().any(|key| line.contains(key));
        return FileCall::of(calls(content, event, is_call));
    };
    let mut found = FileCall::No;
    for repo in list(&top, "repos") {
        for hook in list(repo, "hooks") {
            let entry = text(hook, "entry");
            let is_call = match entry.contains("yatsu-hook") {
                true => calls(entry.as_bytes(), event, |_| true),
                false => text(hook, "id").contains("yatsu-hook"),
            };
            if !is_call {
                continue;
            }
            // the entries that this project offers name their stages, so that no default counts for them
            let own = stages(hook, "stages").map(|list| ("stages", list));
            let of_all = || stages(&top, "default_stages").filter(|_| text(repo, "repo") == "local");
            match own.or_else(|| Some(("default_stages", of_all()?))) {
                Some((key, list)) if !list.iter().any(|stage| is_stage(stage, event)) => {
                    found = FileCall::LeftOut(format!("`{key}: [{}]`", list.join(", ")));
                }
                _ => return FileCall::Yes,
            }
        }
    }
    found
}

/// The stages under `key`; `None` without any, which means the default.
fn stages(of: &Value, key: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    texts(&of[key], &mut found);
    (!found.is_empty()).then_some(found)
}

/// Older names of stages lack the first word.
fn is_stage(stage: &str, event: HookEvent) -> bool {
    let older = match event {
        HookEvent::PreCommit => "commit",
        HookEvent::PreMergeCommit => "merge-commit",
        HookEvent::PrePush => "push",
        HookEvent::PreReceive => return false,
    };
    stage == event.as_str() || stage == older
}

/// The files of lefthook: a section for each event.
pub(super) fn lefthook(file: &str, content: &[u8], event: HookEvent) -> FileCall {
    let any = |_: &str| true;
    let Some(top) = top(file, content) else { return FileCall::of(calls(content, event, any)) };
    let mut found = Vec::new();
    texts(&top[event.as_str()], &mut found);
    FileCall::of(calls(found.join("\n").as_bytes(), event, any))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(read: Reader, file: &str, text: &str) -> [bool; 3] {
        HookEvent::CLIENT.map(|event| read(file, text.as_bytes(), event) == FileCall::Yes)
    }

    #[test]
    fn an_entry_runs_at_its_stages_alone() {
        let remote = "repos:\n- repo: https://example.invalid/y\n  hooks:\n  - id: yatsu-hook\n";
        let local = "- repo: local\n  hooks:\n  - {id: y, name: y, entry: yatsu-hook run, language: system}\n";
        for (text, wanted) in [
            (remote.to_owned(), [true; 3]),
            (format!("{remote}    stages: [manual]\n"), [false; 3]),
            (format!("{remote}    stages: manual\n"), [false; 3]),
            (format!("{remote}    stages: []\n"), [true; 3]),
            (format!("{remote}    stages: [commit, merge-commit, push]\n"), [true; 3]),
            (format!("{remote}    stages: [manual, pre-push]\n"), [false, false, true]),
            (format!("{remote}    args: [-v]\n  - id: other\n    stages: [manual]\n"), [true; 3]),
            (
                format!("{remote}    stages: [manual]\n  - id: yatsu-hook\n    stages: [pre-push]\n"),
                [false, false, true],
            ),
            (format!("default_stages: [manual]\n{remote}"), [true; 3]),
            (format!("default_stages: [manual]\nrepos:\n{local}"), [false; 3]),
            (format!("repos:\n{local}"), [true; 3]),
            (format!("repos:\n{}", local.replace("hook run", "hook pre-push")), [false, false, true]),
            ("repos:\n- repo: https://example.invalid/yatsu-hook\n  hooks:\n  - id: other\n".to_owned(), [false; 3]),
            // what cannot be read is asked line by line
            (format!("x: &a 1\ny: *a\n{remote}    stages: [manual]\n"), [true; 3]),
        ] {
            assert_eq!(called(pre_commit, ".pre-commit-config.yaml", &text), wanted, "{text}");
        }
        let toml = "[[repos]]\nrepo = \"https://example.invalid/y\"\n[[repos.hooks]]\nid = \"yatsu-hook\"\n";
        assert_eq!(called(pre_commit, "prek.toml", toml), [true; 3]);
        assert_eq!(called(pre_commit, "prek.toml", &format!("{toml}stages = [\"manual\"]\n")), [false; 3]);
        let left = pre_commit("prek.toml", format!("{toml}stages = [\"manual\"]\n").as_bytes(), HookEvent::PrePush);
        assert_eq!(left, FileCall::LeftOut("`stages: [manual]`".to_owned()));
    }

    #[test]
    fn a_section_of_lefthook_calls_at_its_event_alone() {
        for (file, text, wanted) in [
            ("lefthook.yml", "pre-commit:\n  jobs:\n    - run: yatsu-hook run\n", [true, false, false]),
            (
                "lefthook.yml",
                "pre-commit:\n  commands:\n    y: {run: yatsu-hook run}\npre-push:\n  jobs: [{run: other}]\n",
                [true, false, false],
            ),
            ("lefthook.yml", "pre-push:\n  jobs:\n    - run: yatsu-hook pre-commit\n", [false; 3]),
            ("lefthook.yml", "pre-push:\n  jobs:\n    - {run: yatsu-hook run, skip: true}\n", [false; 3]),
            ("lefthook.json", "{\"pre-push\": {\"jobs\": [{\"run\": \"yatsu-hook run\"}]}}", [false, false, true]),
            (
                "lefthook.jsonc",
                "{\n  // yatsu-hook\n  \"pre-push\": {\"jobs\": [{\"run\": \"yatsu-hook run\"}]}\n}",
                [false, false, true],
            ),
            ("lefthook.toml", "pre-push.jobs = [{run = \"yatsu-hook run\", skip = true}]\n", [false; 3]),
            ("lefthook.toml", "pre-push.jobs = [{run = \"yatsu-hook run\"}]\n", [false, false, true]),
            (
                "lefthook.toml",
                "[[pre-commit.jobs]]\nrun = \"yatsu-hook run\"\n[pre-push]\nx = 1\n",
                [true, false, false],
            ),
        ] {
            assert_eq!(called(lefthook, file, text), wanted, "{file}: {text}");
        }
    }
}
