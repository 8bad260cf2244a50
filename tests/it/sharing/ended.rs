//! A command of sharing that ends early ends its processes: git, its ssh, and their children.

use crate::support::{Scratch, executable, fed, hermetic, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An ssh that never answers. It starts one program directly and one through a child that exits at once, notes all of them,
/// and finally notes that it did.
fn sleepers(scratch: &Scratch) -> (PathBuf, PathBuf) {
    let pids = scratch.base.join("pids");
    let text = format!(
        "#!/bin/sh\nexec >'{0}.new'\ntail -f /dev/null >/dev/null & echo $!\n\
         (tail -f /dev/null >/dev/null & echo $!)\necho $$\nmv '{0}.new' '{0}'\nexec tail -f /dev/null\n",
        pids.display()
    );
    (executable(&scratch.base.join("slow"), &text), pids)
}

/// A repository that shares over that ssh.
fn repository() -> (super::Two, PathBuf) {
    let two = super::git::sharing();
    two.file("renders", "it rendered\n");
    let (slow, pids) = sleepers(&two.a);
    two.a.git(&["config", "core.sshCommand", &slow.display().to_string()]);
    two.a.git(&["remote", "set-url", "origin", "ssh://nowhere.invalid/x"]);
    (two, pids)
}

pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not happen");
        std::thread::yield_now();
    }
}

pub fn is_running(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|state| !state.contains(") Z "))
}

fn all_end(pids: &Path) {
    let text = fs::read_to_string(pids).expect("they were started");
    assert_eq!(text.lines().count(), 3, "{text}");
    for pid in text.lines() {
        let state = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        wait_for(&format!("the end of {pid} of {text:?}: {}", state()), || !is_running(pid));
    }
}

/// Sends a signal; returns whether it could be sent. Uses the shell's own `kill`, because not every machine has the program.
fn signal(name: &str, pid: &str) -> bool {
    let kill = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, pid]).stderr(Stdio::null()).status();
    kill.expect("a shell").success()
}

/// The program with the default handling of signals, because a test in the background inherits ignored ones.
fn signalled(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = hermetic("env", &scratch.home());
    command.current_dir(&scratch.root).arg("--default-signal=HUP,INT,TERM").arg(program()).args(args);
    command
}

#[test]
fn what_an_ssh_of_the_user_started_ends_with_a_command_that_is_killed() {
    for name in ["KILL", "TERM", "INT", "HUP"] {
        for args in [&["share", "push"][..], &["share", "on"]] {
            let (two, pids) = repository();
            let mut command = signalled(&two.a, args);
            let mut child =
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
            wait_for("that the ssh starts", || pids.exists());
            assert!(signal(name, &child.id().to_string()));
            child.wait().expect("its end");
            all_end(&pids);
        }
    }
}

#[test]
fn what_an_ssh_of_the_user_started_ends_with_the_time_of_a_push() {
    let (two, pids) = repository();
    two.a.git(&["config", "yatsu.share.onPush", "true"]);
    let head = two.a.git(&["rev-parse", "HEAD"]);
    let update = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
    let mut hook = two.a.yatsu_command(&["pre-push", "origin", "ssh://nowhere.invalid/x"]);
    hook.env_remove("YATSU_PATIENCE");
    let said = fed(hook, update).expect(0);
    assert!(said.err.contains("not sent within 10 s"), "{}", said.err);
    all_end(&pids);
}

#[test]
fn a_server_on_this_machine_is_let_end_what_it_began() {
    let two = super::git::sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    let [begun, go] = ["begun", "go"].map(|name| two.a.base.join(name));
    let hook = two.a.base.join("server.git/hooks/pre-receive");
    fs::create_dir_all(hook.parent().expect("a directory")).expect("hooks");
    let text = format!("#!/bin/sh\n: >'{}'\nuntil [ -e '{}' ]; do :; done\n", begun.display(), go.display());
    executable(&hook, &text);
    let mut command = two.a.yatsu_command(&["share", "push"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_for("that the server asks its hook", || begun.exists());
    assert!(signal("KILL", &child.id().to_string()));
    child.wait().expect("its end");
    fs::write(&go, "").expect("written");
    let refs = || two.a.git(&["-C", "../server.git", "for-each-ref", "--format=%(refname)", "refs/yatsu"]);
    wait_for("that the server moves its refs", || refs().lines().count() == 2);
    let locks =
        || Command::new("find").arg(two.a.base.join("server.git")).args(["-name", "*.lock"]).output().expect("find");
    // after its refs the server looks whether to tidy up, under a lock of its own
    wait_for("that the server leaves no lock", || locks().stdout.is_empty());
    assert_eq!(super::last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 1 there");
}

mod needs_script {
    use super::*;

    #[test]
    #[ignore = "needs script"]
    fn on_a_terminal_the_same_holds() {
        let (two, pids) = repository();
        // here the terminal owns our process group, and git is in it
        let inner = format!("'{}' share push", program().display());
        let mut command = hermetic("script", &two.a.home());
        command.current_dir(&two.a.root).args(["-qec", &inner, "/dev/null"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("script starts");
        wait_for("that the ssh starts", || pids.exists());
        let text = fs::read_to_string(&pids).expect("they were started");
        let ssh = text.lines().last().expect("the ssh");
        let parent = |pid: &str| -> String {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
            stat.rsplit_once(')').expect("a state").1.split_whitespace().nth(1).expect("a parent").to_owned()
        };
        let ours = parent(&parent(ssh));
        assert!(signal("KILL", &ours));
        // an orphan of before cannot be distinguished there from other programs of the terminal
        for pid in [text.lines().next().expect("one"), ssh] {
            wait_for(&format!("the end of {pid}"), || !is_running(pid));
        }
        child.kill().and_then(|()| child.wait()).expect("its end");
        for pid in text.lines() {
            // it may have ended by itself
            let _ = signal("KILL", pid);
        }
    }
}
