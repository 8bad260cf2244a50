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
const CONTENTS: &[&str] =
    &["", "1\n", "2\n", "1\r\n", "1\r\n2\n", "x\0\r\n", "$Id: 1 $\n", "1\r\n$Id: 1 $\r\n", "1\r2\r\n", "1\r\n\x1a"];
const PATTERNS: &[&str] = &["*", "*.txt", "a*", "k.txt", "d/**", "e/f/g/h"];
/// Every attribute of git's conversions, with every known value and some unknown ones.
const ATTRIBUTES: &[&str] = &[
    "text",
    "-text",
    "!text",
    "text=auto",
    "text=input",
    "text=set",
    "text=unset",
    "text=unspecified",
    "text=foo",
    "crlf",
    "-crlf",
    "!crlf",
    "crlf=auto",
    "crlf=input",
    "crlf=set",
    "crlf=unset",
    "eol",
    "-eol",
    "eol=lf",
    "eol=crlf",
    "eol=set",
    "eol=foo",
    "ident",
    "-ident",
    "ident=unset",
    "ident=foo",
    "binary",
    "filter",
    "-filter",
    "filter=none",
    "working-tree-encoding=utf-8",
    "working-tree-encoding=UTF8",
    "diff",
    "merge=union",
];
const SETTINGS: &[(&str, &[&str])] = &[
    ("core.autocrlf", &["false", "true", "input"]),
    ("core.eol", &["native", "lf"]),
    ("core.safecrlf", &["false", "warn"]),
    ("core.fileMode", &["true", "true", "false"]),
    ("core.symlinks", &["true", "true", "false"]),
    ("core.checkStat", &["default", "minimal"]),
    // a git that counts whole seconds would miss our changes
    ("core.trustctime", &["false"]),
];

fn edit(scratch: &Scratch, random: &mut Random) {
    let name = random.pick(NAMES);
    let file = scratch.root.join(name);
    match random.below(14) {
        0..=4 => {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if file.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
                fs::remove_file(&file).unwrap();
            }
            fs::write(&file, random.pick(CONTENTS)).unwrap();
            // no two states of a file have the same time, and none has the index's time
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000 + random.0 % (1 << 27));
            File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
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
        11 => drop(scratch.try_git(&[
            "update-index",
            random.pick(&["--assume-unchanged", "--no-assume-unchanged"]),
            name,
        ])),
        12 => scratch.write(".gitignore", random.pick(&["*.o\n", "d/\n", "e\n"])),
        _ => {
            let before = fs::read_to_string(scratch.root.join(".gitattributes")).unwrap_or_default();
            let before = if random.below(3) == 0 { String::new() } else { before };
            let (one, other) = (random.pick(ATTRIBUTES), random.pick(ATTRIBUTES));
            scratch.write(".gitattributes", format!("{before}{} {one} {other}\n", random.pick(PATTERNS)));
        }
    }
}

#[test]
fn random_work_trees_are_seen_as_git_adds_them() {
    let seeds = if std::env::var_os("YATSU_FULL").is_some() { 1..=1500 } else { 1..=60 };
    let one = std::env::var("YATSU_SEED").ok().map(|seed| seed.parse().unwrap());
    for seed in seeds.filter(|seed| one.is_none_or(|one: u64| one == *seed)) {
        let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let scratch = Scratch::new();
        for (key, values) in SETTINGS {
            scratch.git(&["config", key, random.pick(values)]);
        }
        for _ in 0..25 {
            edit(&scratch, &mut random);
        }
        if random.below(2) == 0 && scratch.root.join(".git/index").exists() {
            set_time(&scratch, ".git/index", 1);
        }
        assert_eq!(seen(&scratch), added(&scratch), "seed {seed}");
        walk(&view(&scratch));
    }
}
