//! Finds the file of a Rust test, from the name of its binary as cargo-nextest writes it (`crate`, `crate::test`,
//! `crate::bin/name`) and the modules in the name of the test.

use super::{CasePlace, TestGround};
use crate::tree::path::RepoPath;
use std::collections::HashSet;

pub(super) struct Crates<'g> {
    packages: &'g [(RepoPath, String)],
    sources: HashSet<&'g RepoPath>,
}

impl<'g> Crates<'g> {
    pub(super) fn new(ground: &'g TestGround) -> Self {
        let sources = ground.files.iter().filter(|file| file.as_bstr().ends_with(b".rs")).collect();
        Self { packages: &ground.crates, sources }
    }

    /// The place of the test `name` in the binary `classname`; `None` if the repository has no package of that name.
    pub(super) fn of(&self, classname: &str, name: &str) -> Option<CasePlace> {
        let (package, target) = classname.split_once("::").map_or((classname, None), |(one, two)| (one, Some(two)));
        let mut dirs = self.packages.iter().filter(|(_, named)| named == package).map(|(dir, _)| dir).peekable();
        dirs.peek()?;
        let found: Vec<_> = dirs.filter_map(|dir| self.file(dir, target, name)).collect();
        Some(if found.is_empty() { CasePlace::Elsewhere } else { CasePlace::Files(found) })
    }

    /// The file with the test, in a target of the package in `dir`.
    fn file(&self, dir: &RepoPath, target: Option<&str>, name: &str) -> Option<RepoPath> {
        let (folder, stem) = match target.map(|target| target.split_once('/').unwrap_or(("test", target))) {
            None => return self.within(dir.child(b"src").child(b"lib.rs"), dir.child(b"src"), name),
            Some(("test", stem)) => (dir.child(b"tests"), stem),
            Some(("example", stem)) => (dir.child(b"examples"), stem),
            Some(("bench", stem)) => (dir.child(b"benches"), stem),
            Some(("bin", stem)) => (dir.child(b"src").child(b"bin"), stem),
            Some(_) => return None,
        };
        let below = folder.child(stem.as_bytes());
        let single = folder.child(format!("{stem}.rs").as_bytes());
        self.within(single, folder, name)
            .or_else(|| self.within(below.child(b"main.rs"), below, name))
            // the binary with the name of its package
            .or_else(|| self.within(dir.child(b"src").child(b"main.rs"), dir.child(b"src"), name))
    }

    /// The file with the test, in the target with this root file and the module directory `dir`: the deepest module in the
    /// name that has a file. Inline modules have none.
    fn within(&self, root: RepoPath, mut dir: RepoPath, name: &str) -> Option<RepoPath> {
        let mut file = self.sources.contains(&root).then_some(root)?;
        let modules: Vec<&str> = name.split("::").collect();
        for module in &modules[..modules.len() - 1] {
            let inner = dir.child(module.as_bytes());
            let candidates = [dir.child(format!("{module}.rs").as_bytes()), inner.child(b"mod.rs")];
            file = candidates.into_iter().find(|file| self.sources.contains(file)).unwrap_or(file);
            dir = inner;
        }
        Some(file)
    }
}
