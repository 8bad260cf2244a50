//! What the file of a framework says about the program: at which events it calls it. A file that cannot be read as YAML or TOML is
//! asked line by line. Reads, never writes.

use super::hook_file::{calls, has_word};
use super::shim::HookEvent;
use crate::text::frontmatter::Frontmatter;
use crate::text::yaml::{self, Value, YamlEntry, YamlKind};

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

/// The top of a file of YAML or JSON; `None` for another language, and if a part of it was not understood.
fn top(file: &str, content: &[u8]) -> Option<Vec<YamlEntry>> {
    let is_yaml = [".yml", ".yaml", ".json", ".jsonc"].iter().any(|end| file.ends_with(end));
    let text = String::from_utf8_lossy(content);
    let is_comment = |line: &&str| file.ends_with(".jsonc") && line.trim_start().starts_with("//");
    let block: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    let block = block.join("\n") + "\n";
    let parsed = is_yaml.then(|| yaml::parse(&Frontmatter { block: block.as_bytes(), offset: 0, first_line: 1 }))?;
    match parsed.value.filter(|_| parsed.faults.is_empty() && !parsed.cut_short)?.kind {
        YamlKind::Mapping(entries) => Some(entries),
        _ => None,
    }
}

fn get<'v>(of: &'v [YamlEntry], key: &str) -> Option<&'v YamlKind> {
    of.iter().find(|entry| entry.key == key).map(|entry| &entry.value.kind)
}

fn text<'v>(of: &'v [YamlEntry], key: &str) -> &'v str {
    if let Some(YamlKind::Scalar(scalar)) = get(of, key) { &scalar.text } else { "" }
}

/// The maps in the list under `key`.
fn maps<'v>(of: &'v [YamlEntry], key: &str) -> impl Iterator<Item = &'v [YamlEntry]> {
    let list = if let Some(YamlKind::Sequence(list)) = get(of, key) { &list[..] } else { &[] };
    list.iter().filter_map(|one| if let YamlKind::Mapping(map) = &one.kind { Some(&map[..]) } else { None })
}

/// Every text of a value. A job with `skip: true` never runs.
fn texts(of: &YamlKind, found: &mut Vec<String>) {
    match of {
        YamlKind::Scalar(scalar) => found.push(scalar.text.clone()),
        YamlKind::Sequence(list) => list.iter().for_each(|one: &Value| texts(&one.kind, found)),
        YamlKind::Mapping(map) if text(map, "skip") == "true" => {}
        YamlKind::Mapping(map) => map.iter().for_each(|entry| texts(&entry.value.kind, found)),
        YamlKind::Refused => {}
    }
}

/// `.pre-commit-config.yaml`, and `prek.toml`.
pub(super) fn pre_commit(file: &str, content: &[u8], event: HookEvent) -> FileCall {
    let Some(top) = top(file, content) else { return of_toml_entries(file, content, event) };
    let mut found = FileCall::No;
    for repo in maps(&top, "repos") {
        for hook in maps(repo, "hooks") {
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
fn stages(of: &[YamlEntry], key: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    texts(get(of, key)?, &mut found);
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

/// `prek.toml`: a table a hook, and its `stages` in a line of it.
fn of_toml_entries(file: &str, content: &[u8], event: HookEvent) -> FileCall {
    let is_call = |line: &str| ["id:", "id =", "id=", "entry"].iter().any(|key| line.contains(key));
    let text = String::from_utf8_lossy(content);
    if !file.ends_with(".toml") {
        return FileCall::of(calls(content, event, is_call));
    }
    let mut found = FileCall::No;
    for table in text.split("[[").filter(|table| calls(table.as_bytes(), event, is_call)) {
        let stages = table.lines().find(|line| line.contains("stages"));
        match stages.map(str::trim).filter(|line| !has_word(line, event.as_str())) {
            Some(line) => found = FileCall::LeftOut(format!("`{line}`")),
            None => return FileCall::Yes,
        }
    }
    found
}

/// The files of lefthook: a section for each event.
pub(super) fn lefthook(file: &str, content: &[u8], event: HookEvent) -> FileCall {
    let any = |_: &str| true;
    let section = match top(file, content) {
        Some(top) => {
            let mut found = Vec::new();
            get(&top, event.as_str()).into_iter().for_each(|section| texts(section, &mut found));
            found.join("\n")
        }
        None if file.ends_with(".toml") => toml_section(&String::from_utf8_lossy(content), event),
        None => return FileCall::of(calls(content, event, any)),
    };
    FileCall::of(calls(section.as_bytes(), event, any))
}

/// The lines of TOML below a header or a key that begins with the event.
fn toml_section(text: &str, event: HookEvent) -> String {
    let (mut is_in, mut found) = (false, String::new());
    for line in text.lines() {
        if line.starts_with(|first: char| first == '[' || first.is_ascii_alphabetic()) {
            let name = line.trim_start_matches('[').trim_start_matches('"');
            let rest = name.strip_prefix(event.as_str());
            let is_of_event = rest.is_some_and(|rest| rest.starts_with(['.', ']', '"', ' ', '=']));
            // a key below a header belongs to it
            is_in = is_of_event || is_in && !line.starts_with('[') && !is_event(name);
        }
        if is_in {
            found.push_str(line);
            found.push('\n');
        }
    }
    found
}

fn is_event(name: &str) -> bool {
    HookEvent::ALL
        .iter()
        .any(|event| name.strip_prefix(event.as_str()).is_some_and(|rest| rest.starts_with(['.', ' ', '='])))
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
        let toml = "[[repos.hooks]]\nid = \"yatsu-hook\"\n";
        assert_eq!(called(pre_commit, "prek.toml", toml), [true; 3]);
        assert_eq!(called(pre_commit, "prek.toml", &format!("{toml}stages = [\"manual\"]\n")), [false; 3]);
        let left = pre_commit("prek.toml", format!("{toml}stages = [\"manual\"]\n").as_bytes(), HookEvent::PrePush);
        assert_eq!(left, FileCall::LeftOut("`stages = [\"manual\"]`".to_owned()));
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
