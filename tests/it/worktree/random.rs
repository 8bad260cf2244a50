//! Random work trees are seen as git adds them.

use super::*;

/// A small generator of numbers (xorshift), so that a seed repeats a failure.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const NAMES: &[&str] = &["a", "a-b", "d/x", "d/y.o", "d/e/z", "d.txt", "e/f/g/h", "k.txt"];
const CONTENTS: &[&str] = &["", "1\n", "2\n", "1\r\n", "1\r\n2\n", "x\0\r\n", "$Id: 1 $\n"];

fn edit(scratch: &Scratch, random: &mut Random) {
    let name = random.pick(NAMES);
    let file = scratch.root.join(name);
    match random.below(12) {
        0..=4 => {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if file.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
                fs::remove_file(&file).unwrap();
            }
            fs::write(&file, random.pick(CONTENTS)).unwrap();
        }
        5 => fs::remove_file(&file).unwrap_or_default(),
        6 => {
            let mode = if random.below(2) == 0 { 0o755 } else { 0o644 };
            if file.symlink_metadata().is_ok_and(|about| about.is_file()) {
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        7 => {
            fs::remove_file(&file).unwrap_or_default();
            symlink(random.pick(NAMES), &file).unwrap_or_default();
        }
        8 => drop(scratch.try_git(&["add", "-A", random.pick(&["d", "e", "."])])),
        9 => drop(scratch.try_git(&["rm", "-q", "-r", "--cached", "--", name])),
        10 => drop(scratch.try_git(&["add", "-N", "--", name])),
        _ => {
            let lines = ["*.o\n", "d/\n", "*.txt text\n", "* text=auto\n", "a* ident\n", "k.txt -text\n"];
            let line = random.pick(&lines);
            let file = if line.contains(' ') { ".gitattributes" } else { ".gitignore" };
            scratch.write(file, line);
        }
    }
}

#[test]
fn random_work_trees_are_seen_as_git_adds_them() {
    for seed in 1..=60 {
        let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let scratch = Scratch::new();
        scratch.git(&["config", "core.autocrlf", random.pick(&["false", "true", "input"])]);
        for _ in 0..25 {
            edit(&scratch, &mut random);
        }
        assert_eq!(seen(&scratch), added(&scratch), "seed {seed}");
        walk(&view(&scratch));
    }
}
