//! Adds entries at the end of the list of a scenario file that is there. Input: the file and the new entries. Output: its new
//! bytes. Bytes that were there before stay, and the result is read back before it counts.

use crate::model::scenario;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// The bytes `before` of the file at `path` with entries at the end of its list; `entries` writes them with an indentation
/// before their dashes, and are `names` in order. `None` if the list is not written with a dash for each entry, or if the
/// result would not be read as the same scenarios followed by the new ones.
pub(super) fn appended(
    path: &RepoPath,
    before: &[u8],
    names: &[&str],
    entries: &dyn Fn(&str) -> String,
) -> Option<Vec<u8>> {
    let old = scenario::parse(path, before, &[]);
    let lines: Vec<&[u8]> = before.lines_with_terminator().collect();
    let first = usize::try_from(old.scenarios.last()?.at.line).ok()?.checked_sub(1)?;
    let line = lines.get(first)?;
    let indent = line.find_not_byteset(b" ")?;
    line[indent..].strip_prefix(b"- ")?;
    // an entry goes on while its lines are indented more than its dash
    let is_inside = |line: &&[u8]| line.trim().is_empty() || line.find_not_byteset(b" ").is_some_and(|at| at > indent);
    let inside = lines[first + 1..].iter().take_while(|line| is_inside(line)).count();
    let mut end = first + 1 + inside;
    while lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    let mut added = entries(&" ".repeat(indent));
    if line.ends_with(b"\r\n") {
        added = added.replace('\n', "\r\n");
    }
    let (above, below) = (lines[..end].concat(), lines[end..].concat());
    let torn: &[u8] = if above.ends_with(b"\n") { b"" } else { b"\n" };
    let after = [&above[..], torn, added.as_bytes(), &below].concat();
    let new = scenario::parse(path, &after, &[]);
    let (kept, more) = new.scenarios.split_at_checked(old.scenarios.len())?;
    let is_whole = kept == old.scenarios && new.problems.len() == old.problems.len() && new.goal == old.goal;
    (is_whole && more.iter().map(|one| one.name.as_str()).eq(names.iter().copied())).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(before: &str) -> Option<String> {
        let entry = |indent: &str| {
            let key = |key: &str, value: &str| format!("{indent}  {key}: {value}\n");
            format!("{indent}- name: new\n") + &key("description", "d") + &key("expected", "e") + &key("tags", "[cli]")
        };
        let after = appended(&RepoPath::from_git("n/yatsu.md"), before.as_bytes(), &["new"], &entry)?;
        Some(String::from_utf8(after).expect("text"))
    }

    const ENTRY: &str = "  - name: old\n    description: d\n    expected: e\n    tags: [cli]\n";
    const NEW: &str = "  - name: new\n    description: d\n    expected: e\n    tags: [cli]\n";

    #[test]
    fn an_entry_goes_to_the_end_of_the_list_and_every_other_byte_stays() {
        for (head, tail) in [
            ("---\nscenarios:\n", "---\n"),
            ("---\nscenarios:\n", "\n\n# a comment\n---\nprose\n\n- name: x\n"),
            ("---\nscenarios:\n", "goal:\n  criteria: []\n---\n"),
            ("---\n# c\nscenarios:\n\n", "---"),
        ] {
            let wanted = format!("{head}{ENTRY}{NEW}{tail}");
            assert_eq!(with(&format!("{head}{ENTRY}{tail}")).as_deref(), Some(wanted.as_str()), "{tail:?}");
        }
        let flush = |text: &str| text.replace("\n  ", "\n").trim_start().to_owned();
        let before = format!("---\nscenarios:\n{}goal:\n  criteria: []\n---\n", flush(ENTRY));
        let wanted = before.replace("goal:", &format!("{}goal:", flush(NEW)));
        assert_eq!(with(&before), Some(wanted), "dashes below their key");
        let crlf = |text: String| text.replace('\n', "\r\n");
        let wanted = crlf(format!("---\nscenarios:\n{ENTRY}{NEW}---\n"));
        assert_eq!(with(&crlf(format!("---\nscenarios:\n{ENTRY}---\n"))), Some(wanted));
        let folded = ENTRY.replace("expected: e", "expected: |\n      one\n\n      two");
        let wanted = format!("---\nscenarios:\n{folded}{NEW}\n---\n");
        assert_eq!(with(&format!("---\nscenarios:\n{folded}\n---\n")), Some(wanted));
    }

    #[test]
    fn a_list_of_another_form_is_left_to_its_author() {
        for before in [
            "---\nscenarios: [{name: old, description: d, expected: e, tags: [cli]}]\n---\n",
            "---\nscenarios: []\n---\n",
            "---\nscenarios:\n  -\n    name: old\n    description: d\n    expected: e\n    tags: [cli]\n---\n",
            "no front matter\n",
            "",
        ] {
            assert_eq!(with(before), None, "{before}");
        }
        assert_eq!(with(&format!("---\nscenarios:\n{}---\n", ENTRY.replace("old", "new"))), None, "the name is taken");
    }
}
