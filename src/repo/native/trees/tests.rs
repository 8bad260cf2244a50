use super::*;

fn raw(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut raw = Vec::new();
    for (mode, name) in entries {
        raw.extend_from_slice(mode.as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(name);
        raw.push(0);
        raw.extend_from_slice(&[7; 20]);
    }
    raw
}

fn parse(entries: &[(&str, &[u8])]) -> Result<TreeData, &'static str> {
    TreeData::parse(raw(entries), HashKind::Sha1)
}

#[test]
fn entries_come_out_and_are_found() {
    let tree = parse(&[("100644", b"a.b"), ("40000", b"a"), ("120000", b"a0"), ("160000", b"s")]).unwrap();
    assert_eq!(tree.len(), 4);
    assert_eq!(tree.find(b"a").unwrap().mode, Mode::DIR);
    assert_eq!(tree.find(b"a.b").unwrap().mode, Mode::FILE);
    assert_eq!(tree.find(b"a0").unwrap().mode, Mode::LINK);
    assert_eq!(tree.find(b"s").unwrap().id, Oid::from_bytes(&[7; 20]).unwrap());
    assert!(tree.find(b"b").is_none());
}

#[test]
fn names_that_git_refuses_are_refused() {
    for name in [&b""[..], b".", b"..", b".git", b".GIT", b"a/b", b"git~1", b".git.", b".g\xe2\x80\x8cit"] {
        assert!(parse(&[("100644", name)]).is_err(), "{name:?}");
    }
    for name in [&b".gitignore"[..], b"...", b"gitx", b"\xff", b"-rf", b"a\nb"] {
        assert!(parse(&[("100644", name)]).is_ok(), "{name:?}");
    }
}

#[test]
fn unsorted_doubled_and_damaged_trees_are_refused() {
    assert!(parse(&[("100644", b"b"), ("100644", b"a")]).is_err());
    assert!(parse(&[("100644", b"a"), ("100644", b"a")]).is_err());
    assert!(parse(&[("40000", b"a"), ("100644", b"a.b")]).is_err(), "a directory sorts as `a/`");
    assert!(parse(&[("100644", b"a"), ("100644", b"a.b"), ("40000", b"a")]).is_err(), "a file and a directory");
    let whole = raw(&[("100644", b"a"), ("40000", b"b")]);
    let ends = [0, raw(&[("100644", b"a")]).len(), whole.len()];
    for end in 0..=whole.len() {
        let parsed = TreeData::parse(whole[..end].to_vec(), HashKind::Sha1);
        assert_eq!(parsed.is_ok(), ends.contains(&end), "{end}");
    }
    assert!(TreeData::parse(b"10x644 a\0aaaaaaaaaaaaaaaaaaaa".to_vec(), HashKind::Sha1).is_err());
    assert!(TreeData::parse(b" a\0aaaaaaaaaaaaaaaaaaaa".to_vec(), HashKind::Sha1).is_err());
}

/// A database with one tree that contains itself.
struct Itself;

impl ObjectStore for Itself {
    fn read(&self, _: &Oid) -> Result<Option<Object>> {
        Ok(Some(Object { kind: ObjectKind::Tree, data: raw(&[("40000", b"d")]) }))
    }

    fn header(&self, _: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        Ok(Some((ObjectKind::Tree, 28)))
    }
}

#[test]
fn a_tree_without_end_is_refused() {
    let trees = Trees::new(Rc::new(Itself), HashKind::Sha1);
    assert!(matches!(trees.diff(None, Oid::from_bytes(&[7; 20])), Err(Stop::Failed(_))));
    let view = crate::repo::views::CommitView { trees: Rc::new(trees), root: Oid::from_bytes(&[7; 20]) };
    assert!(crate::tree::Tree::files(&view, &RepoPath::root(), &|_| true).is_err());
}
