//! Directories that need not be listed again, and the changes that force a new listing. The oracle is a view without a memo.

use super::view;
use crate::support::{Scratch, path};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use yatsu_hook::tree::path::RepoPath;
use yatsu_hook::tree::{ListedBefore, ListedState, StrayName, Tree};

/// The strays found in a directory, and its state then.
type SeenThen = (ListedState, Rc<[StrayName]>);

/// A memo that remembers everything at once, however young it is.
#[derive(Default)]
struct Remembering {
    known: RefCell<BTreeMap<RepoPath, SeenThen>>,
    /// The directories that were listed.
    listed: RefCell<Vec<String>>,
}

impl ListedBefore for Remembering {
    fn found(&self, dir: &RepoPath, state: &ListedState) -> Option<Rc<[StrayName]>> {
        let known = self.known.borrow();
        known.get(dir).filter(|(then, _)| then == state).map(|(_, found)| Rc::clone(found))
    }

    fn learn(&self, dir: &RepoPath, state: &ListedState, found: &Rc<[StrayName]>) {
        self.listed.borrow_mut().push(dir.to_string());
        self.known.borrow_mut().insert(dir.clone(), (*state, Rc::clone(found)));
    }
}

/// Everything that a view lists, and the directories it listed for that. A view without a memo must list the same.
fn listed(scratch: &Scratch, remembering: &Rc<Remembering>) -> Vec<String> {
    remembering.listed.take();
    let files = |view: &dyn Tree| view.files(&RepoPath::root(), &|_| true).unwrap();
    let knowing = view(scratch);
    knowing.know_listings(Rc::<Remembering>::clone(remembering));
    assert_eq!(files(&knowing), files(&view(scratch)), "{}", scratch.git(&["status", "--short"]));
    let mut listed = remembering.listed.take();
    listed.sort();
    listed
}

/// A directory, and a change in it.
type Change<'c> = (&'c str, &'c dyn Fn(&Scratch));

fn two_directories() -> Scratch {
    let scratch = Scratch::new();
    for file in ["a/one.txt", "a/deep/two.txt", "b/three.txt"] {
        scratch.write(file, "words\n");
    }
    scratch.commit("first");
    // directories that are made within one tick of the clock have the same time
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for dir in ["", "a", "a/deep", "b"] {
        fs::File::open(scratch.root.join(dir)).and_then(|dir| dir.set_modified(old)).unwrap();
    }
    scratch
}

#[test]
fn a_directory_in_which_nothing_came_or_went_is_not_listed_again() {
    let scratch = two_directories();
    let memory = Rc::new(Remembering::default());
    assert_eq!(listed(&scratch, &memory), ["", "a", "a/deep", "b"]);
    assert_eq!(listed(&scratch, &memory), [""; 0]);
    // other content of a file changes no name
    scratch.write("b/three.txt", "other words\n");
    assert_eq!(listed(&scratch, &memory), [""; 0]);
}

#[test]
fn whatever_comes_goes_or_is_named_otherwise_makes_its_directory_be_listed_again() {
    let root = |scratch: &Scratch, path: &str| scratch.root.join(path);
    let changes: [Change<'_>; 7] = [
        ("a/deep", &|scratch| scratch.write("a/deep/new.txt", "")),
        ("a/deep", &|scratch| fs::remove_file(root(scratch, "a/deep/two.txt")).unwrap()),
        ("b", &|scratch| fs::rename(root(scratch, "b/three.txt"), root(scratch, "b/four.txt")).unwrap()),
        ("a", &|scratch| fs::rename(root(scratch, "a/deep"), root(scratch, "a/flat")).unwrap()),
        ("b", &|scratch| {
            fs::remove_file(root(scratch, "b/three.txt")).unwrap();
            scratch.write("b/three.txt/file", "");
        }),
        // the modification time can be set
        ("b", &|scratch| {
            let dir = fs::File::open(root(scratch, "b")).unwrap();
            let of = dir.metadata().unwrap().modified().unwrap();
            let changed = || (dir.metadata().unwrap().ctime(), dir.metadata().unwrap().ctime_nsec());
            let before = changed();
            scratch.write("b/new.txt", "");
            // the system's own change time follows its clock
            while changed() == before {
                dir.set_modified(of).unwrap();
            }
            dir.set_modified(of).unwrap();
        }),
        // nothing changes on disk
        ("b", &|scratch| drop(scratch.git(&["rm", "-q", "--cached", "b/three.txt"]))),
    ];
    for (dir, change) in changes {
        let scratch = two_directories();
        let memory = Rc::new(Remembering::default());
        listed(&scratch, &memory);
        change(&scratch);
        let again = listed(&scratch, &memory);
        assert!(again.contains(&dir.to_owned()), "{dir}: {again:?}");
        assert_eq!(listed(&scratch, &memory), [""; 0]);
    }
}

#[test]
fn another_directory_of_the_same_name_is_listed() {
    let scratch = two_directories();
    let memory = Rc::new(Remembering::default());
    listed(&scratch, &memory);
    scratch.write("other/new.txt", "");
    fs::rename(scratch.root.join("b"), scratch.root.join("c")).unwrap();
    fs::rename(scratch.root.join("other"), scratch.root.join("b")).unwrap();
    let again = listed(&scratch, &memory);
    assert!(["", "b", "c"].iter().all(|dir| again.contains(&(*dir).to_owned())), "{again:?}");
}

#[test]
fn of_a_work_tree_with_very_many_untracked_files_nothing_is_kept() {
    let scratch = two_directories();
    fs::create_dir(scratch.root.join("many")).unwrap();
    for number in 0..2_100 {
        fs::write(scratch.root.join(format!("many/{number}")), "").unwrap();
    }
    let memory = Rc::new(Remembering::default());
    assert_eq!(listed(&scratch, &memory), [""; 0], "git is asked");
    assert!(view(&scratch).is_untracked(&path("many/7")).unwrap());
}
