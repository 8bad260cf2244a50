//! The clones, and the place through which they share.

use super::judge::{Look, sha_of};
use crate::support::{Dice, Said, Scratch, hermetic, program, scenarios};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The place of sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A git remote, below `refs/yatsu/`.
    Hidden,
    /// A git remote, below `refs/heads/yatsu/`.
    Branches,
    /// A directory.
    Directory,
}

pub const CLONES: usize = 3;

/// The number of transcripts. They are few, so that clones file the same ones. The last one holds a secret.
pub const PIECES: usize = 5;
pub const TOKEN: &str = "ghp_0123456789abcdefghij0123456789abcdefghij";

pub struct World {
    pub kind: Kind,
    pub dice: Dice,
    pub scratch: Scratch,
    /// A log of all deeds, for the message of a failure.
    pub told: Vec<String>,
    /// How many months were made old.
    pub aged: usize,
}

pub fn text(piece: usize) -> String {
    let token = if piece == PIECES - 1 { TOKEN } else { "nothing of the kind" };
    format!("measured {piece}, and what came out has more than a few bytes: {token}\n{}", "x".repeat(piece * 7))
}

pub fn hash(piece: usize) -> String {
    sha_of(text(piece).as_bytes())
}

pub fn pool() -> Vec<String> {
    (0..PIECES).map(hash).collect()
}

impl World {
    pub fn new(kind: Kind, dice: Dice) -> Self {
        let scratch = Scratch::new();
        scratch.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
        fs::create_dir(scratch.base.join("shared")).expect("a directory");
        scratch.write("src/a.rs", "fn a() {}\n");
        for node in 0..CLONES {
            scratch.write(&format!(".spec/n{node}/yatsu.md"), scenarios(&[("s", "src/a.rs"), ("t", "src/a.rs")]));
        }
        scratch.commit("begin");
        scratch.git(&["push", "-q", "../server.git", "main"]);
        let world = Self { kind, dice, scratch, told: vec![format!("{kind:?}")], aged: 0 };
        for clone in 0..CLONES {
            world.git(&world.scratch.root, &["clone", "-q", &world.url(), &format!("../c{clone}")]).expect(0);
            let place = match kind {
                Kind::Directory => format!("file:{}", world.shared().display()),
                _ => "origin".to_owned(),
            };
            let configure = |key, value: &str| world.git(&world.clone_at(clone), &["config", key, value]).expect(0);
            configure("yatsu.share", &place);
            configure("yatsu.share.branches", if kind == Kind::Branches { "true" } else { "false" });
        }
        world
    }

    pub fn server(&self) -> PathBuf {
        self.scratch.base.join("server.git")
    }

    pub fn url(&self) -> String {
        format!("file://{}", self.server().display())
    }

    pub fn shared(&self) -> PathBuf {
        self.scratch.base.join("shared")
    }

    pub fn clone_at(&self, clone: usize) -> PathBuf {
        self.scratch.base.join(format!("c{clone}"))
    }

    pub fn cache(&self, clone: usize) -> PathBuf {
        self.clone_at(clone).join(".git/spexcode/yatsu-blobs")
    }

    pub fn side(&self, clone: usize) -> PathBuf {
        self.clone_at(clone).join(".git/yatsu/evidence.git")
    }

    pub fn git(&self, dir: &Path, args: &[&str]) -> Said {
        let output = hermetic("git", &self.scratch.home()).current_dir(dir).args(args).output();
        Said::of(output.expect("git runs"))
    }

    /// The output of git on the server.
    pub fn on_server(&self, args: &[&str]) -> String {
        self.git(&self.server(), args).expect(0).out.trim_end().to_owned()
    }

    pub fn yatsu(&self, clone: usize, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.scratch.home());
        Said::of(command.current_dir(self.clone_at(clone)).args(args).output().expect("the program runs"))
    }

    pub fn look(&self) -> Look<'_> {
        Look::new(self)
    }

    /// Names in the cache of a clone.
    pub fn cached(&self, clone: usize) -> BTreeSet<String> {
        let entries = fs::read_dir(self.cache(clone)).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    pub fn tell(&mut self, what: impl Into<String>) {
        self.told.push(what.into());
    }

    /// Panics with the log of all deeds, unless `is_right`.
    #[track_caller]
    pub fn judge(&self, is_right: bool, what: impl Into<String>) {
        assert!(is_right, "{}\n{}", self.told.join("\n"), what.into());
    }

    pub fn step(&mut self) {
        let (deed, clone) = (self.dice.roll(super::deeds::DEEDS), self.dice.roll(CLONES));
        self.step_of(deed, clone);
    }
}
