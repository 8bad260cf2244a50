//! `install.sh` with a cargo that builds nothing, which tests the rest of the script. `.ci/run program` makes
//! the real build.

use crate::support::{Said, Scratch, executable, hermetic};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Logs its call and writes a program in cargo's place. Refuses a static build if `$STUBS/no-static` exists, and every
/// build if `$STUBS/broken` does.
const CARGO: &str = r#"#!/bin/sh
echo "cargo in $(pwd): $* [${RUSTFLAGS-}]" >>"$STUBS/log"
[ ! -e "$STUBS/broken" ] || exit 101
[ ! -e "$STUBS/no-static" ] || [ -z "${RUSTFLAGS-}" ] || exit 101
triple=
while [ $# -gt 0 ]; do
    case $1 in --target-dir) dir=$2 ;; --target) triple=/$2 ;; esac
    shift
done
mkdir -p "$dir$triple/release"
cp "$STUBS/yatsu-hook" "$dir$triple/release/yatsu-hook"
"#;

/// Logs its directory.
const PROGRAM: &str = "#!/bin/sh\necho \"$1 in $(pwd)\" >>\"$STUBS/log\"\n";

const RUSTC: &str = "#!/bin/sh\necho 'host: x86_64-unknown-linux-gnu'\necho 'release: 1.95.0'\n";

struct Setup {
    scratch: Scratch,
    prefix: PathBuf,
}

impl Setup {
    fn new() -> Self {
        let scratch = Scratch::new();
        for (name, text) in [("cargo", CARGO), ("rustc", RUSTC), ("cc", "#!/bin/sh\n")] {
            executable(&scratch.base.join("bin").join(name), text);
        }
        executable(&scratch.home().join("yatsu-hook"), PROGRAM);
        let prefix = scratch.base.join("a prefix");
        Self { scratch, prefix }
    }

    /// The script at `path`, started in `here`.
    fn command(&self, path: &Path, here: &Path) -> Command {
        let dirs = format!("{}:/usr/bin:/bin", self.scratch.base.join("bin").display());
        let mut command = hermetic(path, &self.scratch.home());
        command.current_dir(here).env("PATH", dirs).env("CARGO_TARGET_DIR", self.scratch.base.join("out"));
        command.env("STUBS", self.scratch.home());
        command
    }

    fn run_in(&self, here: &Path, args: &[&str]) -> Said {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
        Said::of(self.command(&script, here).args(args).output().expect("the script runs"))
    }

    /// Writes a program that the script finds first.
    fn stub(&self, name: &str, text: &str) {
        executable(&self.scratch.base.join("bin").join(name), text);
    }

    fn run(&self, args: &[&str]) -> Said {
        let prefix = self.prefix.to_str().expect("text");
        self.run_in(&self.scratch.root, &[&["--prefix", prefix], args].concat())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.scratch.home().join("log")).unwrap_or_default()
    }

    fn flag(&self, name: &str, text: &str) {
        fs::write(self.scratch.home().join(name), text).expect("written");
    }
}

#[test]
fn it_builds_in_the_sources_and_wires_the_repository_of_the_caller() {
    let setup = Setup::new();
    setup.run(&[]).expect(0);
    let (sources, here) = (env!("CARGO_MANIFEST_DIR"), setup.scratch.root.display());
    let log = setup.log();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with(&format!("cargo in {sources}: build --release --locked")), "{log}");
    assert!(lines[0].ends_with("[-C target-feature=+crt-static]"), "{log}");
    assert_eq!(lines[1..], [format!("install in {here}")], "which shows the score");
    assert!(setup.prefix.join("bin/yatsu-hook").exists());
    assert_eq!(fs::read_dir(setup.prefix.join("bin")).expect("listed").count(), 1, "no temporary file is left");
    setup.run(&[]).expect(0);
}

#[test]
fn without_a_static_c_library_the_plain_build_is_taken_and_said() {
    let setup = Setup::new();
    setup.flag("no-static", "");
    let said = setup.run(&["--no-hooks"]).expect(0);
    assert!(said.err.contains("static program cannot be built"), "{}", said.err);
    assert_eq!(setup.log().lines().count(), 2, "two builds and no hooks: {}", setup.log());
    assert!(setup.prefix.join("bin/yatsu-hook").exists());
}

#[test]
fn a_build_that_fails_installs_nothing_and_fails() {
    let setup = Setup::new();
    setup.flag("broken", "");
    let said = setup.run(&[]);
    assert!(said.code != 0 && said.err.contains("the build failed"), "{}", said.err);
    assert!(!setup.prefix.exists());
}

#[test]
fn outside_a_repository_only_the_program_is_installed() {
    let setup = Setup::new();
    let said = setup.run_in(&setup.scratch.base, &["--prefix=relative"]).expect(0);
    assert!(said.out.contains("no git repository"), "{}", said.out);
    assert!(setup.scratch.base.join("relative/bin/yatsu-hook").exists());
    assert_eq!(setup.log().lines().count(), 1);
}

#[test]
fn the_default_is_cargos_directory_and_wrong_arguments_build_nothing() {
    let setup = Setup::new();
    setup.run_in(&setup.scratch.root, &["--no-hooks"]).expect(0);
    assert!(setup.scratch.home().join(".cargo/bin/yatsu-hook").exists());
    let builds = setup.log();
    assert!(setup.run(&["--help"]).expect(0).out.starts_with("usage: install.sh"));
    assert!(setup.run(&["--nonsense"]).expect(2).err.contains("unknown argument: --nonsense"));
    setup.run_in(&setup.scratch.root, &["--prefix"]).expect(2);
    assert_eq!(setup.log(), builds);
}

#[test]
fn a_missing_tool_is_named_before_anything_is_built() {
    let setup = Setup::new();
    fs::remove_file(setup.scratch.base.join("bin/cargo")).expect("removed");
    let said = setup.run(&[]);
    // The test needs system directories without a cargo.
    if !Path::new("/usr/bin/cargo").exists() && !Path::new("/bin/cargo").exists() {
        assert!(said.code != 0 && said.err.contains("cargo is not in PATH"), "{}", said.err);
    }
    assert!(!setup.log().contains("install in"));
}

#[test]
fn a_rust_that_is_too_old_is_named_before_anything_is_built() {
    let setup = Setup::new();
    let wanted = env!("CARGO_PKG_RUST_VERSION");
    for (found, code) in
        [("1.88.0", 1), ("0.99.1", 1), ("1.9.9", 1), ("1.89.0", 0), ("1.100.0-nightly", 0), ("2.0.0", 0)]
    {
        setup.stub("rustc", &RUSTC.replace("1.95.0", found));
        let said = setup.run(&["--no-hooks"]).expect(code);
        assert_eq!(code == 1, said.err.contains(&format!("rustc {found} is older than {wanted}")), "{}", said.err);
    }
    assert_eq!(setup.log().lines().count(), 3, "{}", setup.log());
    setup.stub("rustc", "#!/bin/sh\necho 'error: no toolchain' >&2\nexit 1\n");
    assert!(setup.run(&[]).expect(1).err.ends_with("rustc -vV does not answer; the reason stands above\n"));
    assert_eq!(setup.log().lines().count(), 3, "{}", setup.log());
}

#[test]
fn without_a_home_it_installs_where_it_is_told_and_otherwise_says_what_is_missing() {
    let setup = Setup::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
    let run = |args: &[&str]| {
        let mut command = setup.command(&script, &setup.scratch.root);
        Said::of(command.env_remove("HOME").args(args).output().expect("the script runs"))
    };
    run(&["--prefix", setup.prefix.to_str().expect("text")]).expect(0);
    assert!(setup.prefix.join("bin/yatsu-hook").exists());
    let said = run(&[]).expect(2);
    let line = "install.sh: neither HOME nor CARGO_HOME is set: say where to install, with --prefix DIR\n";
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", line));
}

#[test]
fn a_checkout_that_git_does_not_open_is_told_in_gits_words_and_fails() {
    let setup = Setup::new();
    let words = "fatal: detected dubious ownership in repository at '/r'\nTo add an exception, call:\n\n\tgit config x";
    setup.stub("git", &format!("#!/bin/sh\nprintf '%s\\n' \"{words}\" >&2\nexit 128\n"));
    let said = setup.run(&[]).expect(1);
    let line = "install.sh: the program is installed, but its hooks are not; git says: fatal: detected dubious ownership \
                in repository at '/r' To add an exception, call: git config x\n";
    assert_eq!(said.err, line);
    assert!(!said.out.contains("no git repository"), "{}", said.out);
    assert_eq!(setup.log().lines().count(), 1, "no hooks: {}", setup.log());
}

#[test]
fn the_sources_are_found_through_links_and_whatever_cdpath_says() {
    let setup = Setup::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (parent, name) = (sources.parent().expect("a parent"), sources.file_name().expect("a name"));
    let links = setup.scratch.base.join("links");
    fs::create_dir(&links).expect("a directory");
    symlink(sources.join("install.sh"), links.join("one")).expect("a link");
    symlink("links/one", setup.scratch.base.join("two")).expect("a link");
    let relative = Path::new(name).join("install.sh");
    for (script, here) in
        [(relative, parent), (links.join("one"), &setup.scratch.root), ("./two".into(), &setup.scratch.base)]
    {
        let mut command = setup.command(Path::new("sh"), here);
        command.arg(&script).env("CDPATH", parent).args(["--no-hooks", "--prefix"]).arg(&setup.prefix);
        Said::of(command.output().expect("the script runs")).expect(0);
        let log = setup.log();
        let last = log.lines().last().expect("a build");
        assert!(last.starts_with(&format!("cargo in {}:", sources.display())), "{}: {last}", script.display());
    }
}
