//! The real content of a place, read with plain git, and the pieces that readings name, read line by line. Slow and
//! obvious; shares nothing with the program.

use super::world::{CLONES, Kind, PIECES, TOKEN, World, pool, text};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

pub fn sha_of(bytes: &[u8]) -> String {
    crate::support::sha256(bytes)
}

pub type Pieces = BTreeSet<String>;

pub struct Look<'w> {
    world: &'w World,
    /// Every ref of the server.
    pub refs: BTreeMap<String, String>,
}

/// A line of names in the right form.
struct Offer {
    slot: String,
    hash: String,
    id: String,
    size: u64,
}

impl<'w> Look<'w> {
    pub fn new(world: &'w World) -> Self {
        let text = world.on_server(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let split = |line: &str| line.split_once(' ').map(|(name, id)| (name.to_owned(), id.to_owned()));
        Self { world, refs: text.lines().filter_map(split).collect() }
    }

    fn top(&self) -> &'static str {
        if self.world.kind == Kind::Branches { "refs/heads/yatsu/" } else { "refs/yatsu/" }
    }

    /// The refs of this family, as `<writer>/<month>` and commit.
    pub fn family(&self, family: &str) -> BTreeMap<String, String> {
        let prefix = format!("{}{family}/", self.top());
        let is_slot = |slot: &str| {
            let (writer, month) = slot.split_once('/').unwrap_or_default();
            let is_month = month.len() == 7 && month.as_bytes()[4] == b'-' && ("01"..="12").contains(&&month[5..]);
            writer.len() == 16 && writer.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) && is_month
        };
        let slot = |name: &str| name.strip_prefix(&prefix).filter(|slot| is_slot(slot)).map(str::to_owned);
        self.refs.iter().filter_map(|(name, id)| Some((slot(name)?, id.clone()))).collect()
    }

    /// The user's own refs.
    pub fn code_refs(&self) -> BTreeMap<String, String> {
        let ours = ["refs/yatsu/", "refs/heads/yatsu/evidence/", "refs/heads/yatsu/names/"];
        let is_code = |name: &String| !ours.iter().any(|prefix| name.starts_with(prefix));
        self.refs.iter().filter(|(name, _)| is_code(name)).map(|(name, id)| (name.clone(), id.clone())).collect()
    }

    /// The tips of published branches.
    pub fn tips(&self) -> BTreeSet<String> {
        let code = self.code_refs();
        code.into_iter().filter(|(name, _)| name.starts_with("refs/heads/")).map(|(_, id)| id).collect()
    }

    /// The messages of all readable names, by slot.
    fn messages(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (slot, id) in self.family("names") {
            if self.world.on_server(&["cat-file", "-t", &id]) == "commit" {
                found.push((slot, self.world.on_server(&["log", "--format=%B", &id])));
            }
        }
        found
    }

    fn offers(&self) -> Vec<Offer> {
        let evidence = self.family("evidence");
        let mut offers = Vec::new();
        for (slot, text) in self.messages().into_iter().filter(|(slot, _)| evidence.contains_key(slot)) {
            for line in text.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let [hash, id, size] = words.as_slice() else { continue };
                let size = size.parse().ok().filter(|size| *size <= 2 << 30);
                if let (64, 40, Some(size)) = (hash.len(), id.len(), size) {
                    let (hash, id) = ((*hash).to_owned(), (*id).to_owned());
                    offers.push(Offer { slot: slot.clone(), hash, id, size });
                }
            }
        }
        offers
    }

    /// The pieces that a line drops.
    pub fn dropped(&self) -> Pieces {
        let all = self.messages();
        let lines = all.iter().flat_map(|(_, text)| text.lines());
        lines.filter_map(|line| line.strip_prefix("drop ")?.split(' ').next().map(str::to_owned)).collect()
    }

    /// Whether the server has these bytes under this id, referenced or not.
    fn is_right(&self, offer: &Offer) -> bool {
        let said = self.world.git(&self.world.server(), &["cat-file", "blob", &offer.id]);
        said.code == 0 && said.out.len() as u64 == offer.size && sha_of(said.out.as_bytes()) == offer.hash
    }

    /// The pieces in the directory, by file name.
    fn files(&self, is_right: &dyn Fn(&str, &Path) -> bool) -> Pieces {
        let path = |hash: &str| self.world.shared().join(&hash[..2]).join(hash);
        let is_file = |hash: &str| fs::symlink_metadata(path(hash)).is_ok_and(|about| about.is_file());
        pool().into_iter().filter(|hash| is_file(hash) && is_right(hash, &path(hash))).collect()
    }

    fn right_files(&self) -> Pieces {
        self.files(&|hash, path| fs::read(path).is_ok_and(|bytes| sha_of(&bytes) == hash))
    }

    /// The files of a directory with the size of the pieces they are named after.
    pub fn as_long(&self) -> Pieces {
        let lengths: BTreeMap<String, u64> =
            pool().into_iter().zip((0..PIECES).map(|at| text(at).len() as u64)).collect();
        self.files(&|hash, path| fs::metadata(path).is_ok_and(|about| about.len() == lengths[hash]))
    }

    /// The pieces that a line says are there.
    pub fn said(&self) -> Pieces {
        if self.world.kind == Kind::Directory {
            return self.files(&|_, _| true);
        }
        let dropped = self.dropped();
        self.offers().into_iter().map(|offer| offer.hash).filter(|hash| !dropped.contains(hash)).collect()
    }

    /// The pieces that a reader would get.
    pub fn there(&self) -> Pieces {
        if self.world.kind == Kind::Directory {
            return self.right_files();
        }
        let dropped = self.dropped();
        let right = self.offers().into_iter().filter(|offer| !dropped.contains(&offer.hash) && self.is_right(offer));
        right.map(|offer| offer.hash).collect()
    }

    /// The pieces that the server keeps: with a ref to the bytes, and names in the same month.
    pub fn kept(&self) -> Pieces {
        if self.world.kind == Kind::Directory {
            return self.right_files();
        }
        let mut reached: BTreeMap<String, String> = BTreeMap::new();
        for (slot, id) in self.family("evidence") {
            reached.insert(slot, self.world.on_server(&["rev-list", "--objects", &id]));
        }
        let is_reached = |offer: &Offer| {
            let path = format!("{} {}/{}", offer.id, &offer.hash[..2], offer.hash);
            reached[&offer.slot].lines().any(|line| line == path)
        };
        let kept = self.offers().into_iter().filter(|offer| is_reached(offer) && self.is_right(offer));
        kept.map(|offer| offer.hash).collect()
    }

    /// The pieces that readings at these commits name, in the repository at `dir`.
    pub fn named_at(&self, dir: &Path, tips: &BTreeSet<String>) -> Pieces {
        let (mut readings, mut out) = (Vec::new(), BTreeSet::new());
        for tip in tips {
            for node in 0..CLONES {
                let home = format!("{tip}:.spec/n{node}");
                let files = self.world.git(dir, &["ls-tree", "--name-only", &home]).out;
                let files = files.lines().filter(|file| file.ends_with(".evals.ndjson"));
                let show = |file: &str| self.world.git(dir, &["show", &format!("{home}/{file}")]).expect(0).out;
                let lines: String = files.map(show).collect();
                for line in lines.lines() {
                    let json: serde_json::Value = serde_json::from_str(line).expect("a line");
                    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
                    if json["retracts"].is_string() {
                        let (scenario, ts) = (text("scenario"), text("retracts"));
                        let is_meant = |line: &&str| {
                            line.contains("\"verdict\"")
                                && line.contains(&format!("\"scenario\":\"{scenario}\""))
                                && line.ends_with(&format!("\"ts\":\"{ts}\"}}"))
                        };
                        out.extend(lines.lines().filter(is_meant).map(|line| sha_of(line.as_bytes())));
                    } else if json["redacts"].is_string() {
                        out.insert(text("redacts"));
                    } else {
                        readings.push(line.to_owned());
                    }
                }
            }
        }
        let counts = readings.iter().filter(|line| !out.contains(&sha_of(line.as_bytes())));
        counts.flat_map(|line| pool().into_iter().filter(|hash| line.contains(hash.as_str()))).collect()
    }

    /// The pieces that readings of published branches name.
    pub fn named(&self) -> Pieces {
        self.named_at(&self.world.server(), &self.tips())
    }

    /// The pieces that readings of the clone's own branch name.
    pub fn named_by(&self, clone: usize) -> Pieces {
        let dir = self.world.clone_at(clone);
        let head = self.world.git(&dir, &["rev-parse", "HEAD"]).expect(0).out.trim().to_owned();
        self.named_at(&dir, &BTreeSet::from([head]))
    }

    /// The published tips that a clone has, and whether it has all.
    pub fn tips_at(&self, clone: usize) -> (BTreeSet<String>, bool) {
        let dir = self.world.clone_at(clone);
        if self.world.kind == Kind::Directory {
            let text = self.world.git(&dir, &["for-each-ref", "--format=%(objectname)", "refs/remotes/"]).expect(0).out;
            return (text.lines().map(str::to_owned).collect(), true);
        }
        let all = self.tips();
        let is_here = |tip: &String| self.world.git(&dir, &["cat-file", "-e", tip]).code == 0;
        let here: BTreeSet<String> = all.iter().filter(|tip| is_here(tip)).cloned().collect();
        let whole = here.len() == all.len();
        (here, whole)
    }

    /// Whether any shared data contains the token.
    pub fn has_secret(&self) -> bool {
        let mut text = String::new();
        if self.world.kind == Kind::Directory {
            let dirs = fs::read_dir(self.world.shared()).expect("a directory").flatten();
            let files = dirs.flat_map(|dir| fs::read_dir(dir.path()).into_iter().flatten().flatten());
            files.for_each(|file| text += &String::from_utf8_lossy(&fs::read(file.path()).unwrap_or_default()));
        } else {
            let batch = ["cat-file", "--batch-all-objects", "--batch", "--buffer"];
            text = self.world.on_server(&batch);
        }
        text.contains(TOKEN)
    }
}
