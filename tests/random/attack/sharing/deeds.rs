//! The deeds: normal work, and damage to a server, a directory or a clone.

use super::world::{CLONES, Kind, PIECES, World, hash, text};
use std::fs;
use std::path::Path;

/// The number of deeds.
pub const DEEDS: usize = 34;

const FORGED: &str = "00000000000000ff";

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
    assert!(std::process::Command::new("cp").arg("-r").arg(from).arg(to).status().expect("cp").success());
}

impl World {
    pub fn step_of(&mut self, deed: usize, clone: usize) {
        match deed {
            0 | 3 | 4 => self.file(clone),
            1 | 5 => self.publish(clone, "main"),
            2 | 6 | 7 => self.push(clone, false),
            8 => self.push(clone, true),
            9 | 10 => self.get(clone),
            11 => self.check(clone, false),
            12 => self.check(clone, true),
            13 => self.heal(clone),
            14 => {
                let piece = self.dice.roll(PIECES);
                self.drop_piece(clone, piece);
            }
            15 => self.prune(clone),
            16 | 17 => self.clean_shared(clone),
            18 => self.take_back(clone),
            19 => self.publish(clone, &format!("side-{clone}")),
            20 => self.age(),
            30..=32 => self.publish(clone, "main"),
            33 => {
                self.tell(format!("c{clone}: fetches"));
                self.git(&self.clone_at(clone), &["fetch", "-q", "origin"]);
            }
            _ => self.hurt(deed, clone),
        }
    }

    /// Damage.
    fn hurt(&mut self, deed: usize, clone: usize) {
        match (self.kind, deed) {
            (_, 21) => self.lose(clone),
            (Kind::Directory, _) => self.hurt_files(),
            (_, 22) => self.delete_ref(),
            (_, 23) => self.forge(),
            (_, 24) => self.replace_ref(),
            (_, 25) => self.recreate(),
            (_, 26) => self.back_up_or_restore(),
            (_, 27) => self.copy_checkout(clone),
            (_, 28) => {
                self.tell("server: gc");
                self.on_server(&["gc", "-q", "--prune=now"]);
            }
            _ => self.switch_url(clone),
        }
    }

    fn file(&mut self, clone: usize) {
        let (piece, scenario) = (self.dice.roll(PIECES), if self.dice.roll(2) == 0 { "s" } else { "t" });
        let as_artifact = self.dice.roll(2) == 0;
        self.tell(format!("c{clone}: files {piece} {}", &hash(piece)[..12]));
        let (dir, node) = (self.clone_at(clone), format!("n{clone}"));
        fs::write(self.scratch.base.join("out.txt"), text(piece)).expect("written");
        let how: &[&str] = if as_artifact { &["--artifact", "../out.txt"] } else { &["--result", "../out.txt"] };
        let args = [&["eval", &node, "--scenario", scenario, "--pass"], how].concat();
        let said = self.yatsu(clone, &args);
        self.judge(said.code == 0, format!("not filed: {}", said.err));
        self.git(&dir, &["add", "-A"]).expect(0);
        self.git(&dir, &["commit", "-q", "--allow-empty", "-m", "measured"]).expect(0);
    }

    fn publish(&mut self, clone: usize, branch: &str) {
        self.tell(format!("c{clone}: publishes {branch}"));
        let dir = self.clone_at(clone);
        if branch == "main" {
            self.git(&dir, &["fetch", "-q", "origin", "main"]);
            self.git(&dir, &["merge", "-q", "-m", "merged", "FETCH_HEAD"]).expect(0);
        }
        self.git(&dir, &["push", "-q", "--force", "origin", &format!("HEAD:refs/heads/{branch}")]).expect(0);
        self.git(&dir, &["fetch", "-q", "origin"]).expect(0);
    }

    /// Retracts or redacts a reading of the clone's own.
    fn take_back(&mut self, clone: usize) {
        let dir = self.clone_at(clone);
        let files =
            fs::read_dir(dir.join(format!(".spec/n{clone}"))).expect("a node").map(|file| file.expect("a file").path());
        let mut ledgers: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "ndjson")).collect();
        ledgers.sort();
        let lines: String = ledgers.iter().map(|file| fs::read_to_string(file).expect("a ledger")).collect();
        let readings: Vec<serde_json::Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line"))
            .filter(|line: &serde_json::Value| line["verdict"].is_object())
            .collect();
        if readings.is_empty() {
            return;
        }
        let one = &readings[self.dice.roll(readings.len())];
        let (scenario, ts) = (one["scenario"].as_str().expect("a name"), one["ts"].as_str().expect("a time"));
        let (verb, why) = if self.dice.roll(2) == 0 { ("retract", "--note") } else { ("redact", "--reason") };
        self.tell(format!("c{clone}: {verb} {scenario} {ts}"));
        self.yatsu(clone, &[verb, &format!("n{clone}"), "--scenario", scenario, "--ts", ts, why, "so"]);
        self.git(&dir, &["add", "-A"]).expect(0);
        self.git(&dir, &["commit", "-q", "--allow-empty", "-m", "taken back"]).expect(0);
    }

    /// Moves everything that was shared so far to a month long ago.
    fn age(&mut self) {
        self.aged += 1;
        self.tell("everything there is old now");
        if self.kind == Kind::Directory {
            let dirs = fs::read_dir(self.shared()).expect("a directory").flatten();
            for file in dirs.flat_map(|dir| fs::read_dir(dir.path()).into_iter().flatten().flatten()) {
                if let Ok(file) = fs::File::open(file.path()) {
                    file.set_times(fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH)).expect("a time");
                }
            }
            return;
        }
        let month = format!("{:04}-{:02}", 2000 + self.aged / 12, self.aged % 12 + 1);
        let sides = (0..CLONES).map(|clone| self.side(clone)).filter(|side| side.join("HEAD").exists());
        for dir in sides.chain([self.server()]) {
            let text = self.git(&dir, &["for-each-ref", "--format=%(refname) %(objectname)"]).expect(0).out;
            for line in text.lines() {
                let (name, id) = line.split_once(' ').expect("a ref");
                let Some((head, last)) = name.rsplit_once('/') else { continue };
                let is_month = last.len() == 7 && last > "2024" && last.as_bytes()[4] == b'-';
                if is_month && (name.contains("/evidence/") || name.contains("/names/") || name.contains("/there/")) {
                    self.git(&dir, &["update-ref", &format!("{head}/{month}"), id]).expect(0);
                    self.git(&dir, &["update-ref", "-d", name]).expect(0);
                }
            }
        }
    }

    /// A clone loses its cache, or its knowledge of the server.
    fn lose(&mut self, clone: usize) {
        let is_cache = self.dice.roll(3) == 0;
        self.tell(format!("c{clone}: loses {}", if is_cache { "its cache" } else { "what it knew" }));
        let dir = if is_cache { self.cache(clone) } else { self.side(clone) };
        if dir.exists() {
            fs::remove_dir_all(dir).expect("removed");
        }
    }

    fn any_ref(&mut self) -> Option<String> {
        let look = self.look();
        let top = if self.kind == Kind::Branches { "refs/heads/yatsu/" } else { "refs/yatsu/" };
        let refs: Vec<String> = look.refs.keys().filter(|name| name.starts_with(top)).cloned().collect();
        (!refs.is_empty()).then(|| refs[self.dice.roll(refs.len())].clone())
    }

    fn delete_ref(&mut self) {
        let Some(name) = self.any_ref() else { return };
        self.tell(format!("server: {name} goes"));
        self.on_server(&["update-ref", "-d", &name]);
    }

    /// Writes forged names: with other bytes, with another size, or a drop of a piece.
    fn forge(&mut self) {
        let piece = self.dice.roll(PIECES);
        let (hash, size) = (hash(piece), text(piece).len());
        let forged = text((piece + 1) % (PIECES - 1));
        fs::write(self.scratch.base.join("forged"), &forged).expect("written");
        let other = self.on_server(&["hash-object", "-w", "../forged"]);
        let line = match self.dice.roll(5) {
            // only the hash shows it
            0 => format!("{hash} {other} {}", forged.len()),
            1 => format!("{hash} {other} 99999999999"),
            2 => format!("{hash} {} {size}", "ab".repeat(20)),
            3 => format!("drop {hash} nobody asked"),
            _ => format!("{hash} {other} 1\n{hash} {other}\nnonsense"),
        };
        self.tell(format!("server: somebody writes {line:?}"));
        fs::write(self.scratch.base.join("message"), line + "\n").expect("written");
        let tree = self.on_server(&["write-tree"]);
        let who = ["-c", "user.name=E", "-c", "user.email=e@example.invalid"];
        let commit = self.on_server(&[&who[..], &["commit-tree", &tree, "-F", "../message"]].concat());
        let top = if self.kind == Kind::Branches { "refs/heads/yatsu" } else { "refs/yatsu" };
        let month = ["2020-01", "2026-11"][self.dice.roll(2)];
        for family in ["names", "evidence"] {
            self.on_server(&["update-ref", &format!("{top}/{family}/{FORGED}/{month}"), &commit]);
        }
    }

    /// Moves a ref: to the code, to a blob, to the target of another ref; or adds a meaningless one.
    fn replace_ref(&mut self) {
        let (Some(name), Some(other)) = (self.any_ref(), self.any_ref()) else { return };
        let id = match self.dice.roll(3) {
            // a branch cannot be at a blob
            0 if self.kind == Kind::Hidden => self.on_server(&["hash-object", "-w", "HEAD"]),
            0 | 1 => self.on_server(&["rev-parse", "refs/heads/main"]),
            _ => self.on_server(&["rev-parse", &other]),
        };
        let name = if self.dice.roll(4) == 0 { format!("{}x", name) } else { name };
        self.tell(format!("server: {name} is at {id}"));
        self.on_server(&["update-ref", &name, &id]);
    }

    /// A new server with only the code.
    fn recreate(&mut self) {
        self.tell("server: created anew");
        let (server, new) = (self.server(), self.scratch.base.join("new.git"));
        let _ = fs::remove_dir_all(&new);
        self.git(&self.scratch.base, &["init", "-q", "--bare", "-b", "main", "new.git"]).expect(0);
        let refs = ["refs/heads/*:refs/heads/*", "^refs/heads/yatsu/*"];
        self.git(&new, &["fetch", "-q", "../server.git", refs[0], refs[1]]).expect(0);
        fs::remove_dir_all(&server).expect("removed");
        fs::rename(new, server).expect("renamed");
    }

    fn back_up_or_restore(&mut self) {
        let (server, backup) = (self.server(), self.scratch.base.join("backup.git"));
        if backup.exists() {
            self.tell("server: restored");
            fs::remove_dir_all(&server).expect("removed");
            fs::rename(backup, server).expect("renamed");
        } else {
            self.tell("server: backed up");
            copy(&server, &backup);
        }
    }

    /// A clone becomes a copy of another one, as far as sharing goes.
    fn copy_checkout(&mut self, clone: usize) {
        let from = self.side((clone + 1) % CLONES);
        if from.exists() {
            self.tell(format!("c{clone}: has what c{} knew", (clone + 1) % CLONES));
            copy(&from, &self.side(clone));
        }
    }

    /// The same server by another URL.
    fn switch_url(&mut self, clone: usize) {
        self.tell(format!("c{clone}: another URL"));
        let dir = self.clone_at(clone);
        let old = self.git(&dir, &["config", "remote.origin.url"]).expect(0).out;
        let new = if old.contains("//server") { self.url() } else { self.url().replace("/server", "//server") };
        self.git(&dir, &["remote", "set-url", "origin", &new]).expect(0);
    }

    fn hurt_files(&mut self) {
        let hash = hash(self.dice.roll(PIECES - 1));
        let path = self.shared().join(&hash[..2]).join(&hash);
        let Ok(bytes) = fs::read(&path) else { return };
        fs::remove_file(&path).expect("removed");
        let how = self.dice.roll(4);
        self.tell(format!("directory: {} is hurt, {how}", &hash[..12]));
        match how {
            0 => {}
            1 => fs::write(&path, bytes.get(1..).unwrap_or_default()).expect("written"),
            2 => fs::write(&path, [bytes.get(1..).unwrap_or_default(), b"?"].concat()).expect("written"),
            _ => fs::write(&path, "").expect("written"),
        }
    }
}
