//! The second way to start git, with transports: the variables it passes on and blocks, and the texts in its messages.
#![allow(clippy::unwrap_used)] // helpers of tests

use super::script;
use crate::support::Scratch;
use crate::support::real::repo_with;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use yatsu_hook::repo::program::network::{Expected, FetchLimits, Fetched, MovedHow, NetworkDoor, RefMove};
use yatsu_hook::tree::oid::HashKind;

const LIMITS: FetchLimits = FetchLimits { bytes: 1 << 20, anew: false };
/// How long the end of a killed process may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// A repository with a bare one beside it as `origin`.
fn with_server() -> Scratch {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q", "--bare", "../server.git"]);
    let server = scratch.base.join("server.git");
    scratch.git(&["remote", "add", "origin", &format!("file://{}", server.display())]);
    scratch
}

fn door(scratch: &Scratch, more: &[(&str, &Path)]) -> NetworkDoor {
    let door = repo_with(scratch, more).network(&scratch.base.join("own.git"), "origin", false).unwrap();
    door.init(HashKind::Sha1, None).unwrap();
    door
}

fn real_git() -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.is_file()).unwrap()
}

fn came(door: &NetworkDoor, wanted: &[&str]) {
    let wanted: Vec<_> = wanted.iter().map(|wanted| (*wanted).to_owned()).collect();
    let end = door.fetch(&wanted, LIMITS).unwrap();
    assert!(matches!(end, Fetched::All), "{end:?}");
}

fn of(name: &str, to: yatsu_hook::tree::oid::Oid, from: Expected) -> RefMove {
    RefMove { name: name.to_owned(), to: Some(to), from }
}

#[test]
fn refs_are_moved_listed_fetched_and_deleted_over_a_transport() {
    let scratch = with_server();
    let door = door(&scratch, &[]);
    let tree = door.write_trees(&[Vec::new()]).unwrap()[0];
    let one = door.write_commit(&tree, None, 1, b"one\n").unwrap();
    let two = door.write_commit(&tree, Some(&one), 2, b"two\n").unwrap();
    let moved =
        |moves: &[RefMove]| door.push(moves, true).unwrap().into_iter().map(|moved| moved.how).collect::<Vec<_>>();
    let [a, b] = ["refs/yatsu/a", "refs/yatsu/b"];
    assert_eq!(moved(&[of(a, one, Expected::Nothing), of(b, two, Expected::Ancestor)]), [MovedHow::Made; 2]);
    assert_eq!(moved(&[of(a, one, Expected::Nothing)]), [MovedHow::Equal]);
    assert_eq!(moved(&[of(a, two, Expected::Nothing), of(b, two, Expected::Ancestor)]).len(), 2);
    assert_eq!(door.list(&["refs/yatsu/"]).unwrap(), [(a.into(), one), (b.into(), two)], "all or none");
    assert_eq!(moved(&[of(b, one, Expected::Ancestor)]), [MovedHow::Refused]);
    assert_eq!(moved(&[of(b, one, Expected::Exactly(two))]), [MovedHow::Forced]);
    assert_eq!(moved(&[of(b, two, Expected::Ancestor)]), [MovedHow::Forwarded]);
    came(&door, &["+refs/yatsu/*:refs/there/*"]);
    assert_eq!(door.own_refs("refs/there/").unwrap().len(), 2);
    let delete = RefMove { name: a.to_owned(), to: None, from: Expected::Exactly(one) };
    assert_eq!(moved(&[delete]), [MovedHow::Deleted]);
    door.set_own_refs(&[("refs/there/a".to_owned(), None)]).unwrap();
    assert_eq!(door.own_refs("refs/").unwrap(), [("refs/there/b".into(), two)], "and nothing that was not asked for");
    assert!(!door.git_dir().join("FETCH_HEAD").exists());
    assert_eq!(scratch.git(&["for-each-ref"]), "", "nothing came into the user's repository");
}

#[test]
fn no_hook_of_ours_runs_and_no_transport_runs_a_program_that_a_url_names() {
    let scratch = with_server();
    let canary = scratch.base.join("canary");
    let hooks = scratch.base.join("hooks");
    for hook in ["pre-push", "reference-transaction", "post-index-change", "fsmonitor-watchman"] {
        script(&hooks.join(hook), &format!("touch '{}'", canary.display()));
    }
    let door = door(&scratch, &[]);
    let text = format!("[core]\nhooksPath = {0}\nfsmonitor = {0}/pre-push\n[gc]\nauto = 1\n", hooks.display());
    let config = door.git_dir().join("config");
    fs::write(&config, fs::read_to_string(&config).unwrap() + &text).unwrap();
    let tree = door.write_trees(&[Vec::new()]).unwrap()[0];
    let commit = door.write_commit(&tree, None, 1, b"one\n").unwrap();
    door.push(&[of("refs/yatsu/a", commit, Expected::Nothing)], true).unwrap();
    came(&door, &["refs/yatsu/a:refs/a"]);
    assert!(!canary.exists());
    scratch.git(&["config", "remote.origin.url", &format!("ext::sh -c 'touch {}'", canary.display())]);
    let error = self::door(&scratch, &[]).list(&["refs/yatsu/"]).unwrap_err();
    assert!(error.message.contains("transport 'ext' not allowed") && !canary.exists(), "{error}");
}

#[test]
fn what_the_user_forbids_is_not_used() {
    let scratch = with_server();
    let refused = |door: &NetworkDoor| {
        let error = door.list(&["refs/"]).unwrap_err();
        assert!(error.message.contains("transport 'file' not allowed"), "{error}");
    };
    refused(&door(&scratch, &[("GIT_ALLOW_PROTOCOL", Path::new("https:ssh"))]));
    scratch.git(&["config", "protocol.file.allow", "never"]);
    refused(&door(&scratch, &[]));
    scratch.git(&["config", "protocol.file.allow", "always"]);
    assert_eq!(door(&scratch, &[]).list(&["refs/"]).unwrap(), []);
}

#[test]
fn a_remote_that_nobody_configured_is_named_with_those_that_are_there() {
    let scratch = with_server();
    let repo = repo_with(&scratch, &[]);
    for name in ["upstream", "--upload-pack=x", "file:///srv/a.git", "../server.git", ""] {
        let error = repo.network(&scratch.base.join("own.git"), name, false).unwrap_err();
        assert!(error.kind == yatsu_hook::error::ErrorKind::Usage && error.hints[0].contains("origin"), "{error:?}");
    }
}

/// The connection of a git that was asked in another thread. Fails if that git ended without one.
fn accepted<T>(listener: &TcpListener, asked: &JoinHandle<T>) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    loop {
        let has_ended = asked.is_finished();
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && !has_ended => std::thread::yield_now(),
            Err(error) => panic!("git did not connect: {error}"),
        }
    }
}

/// One request to a server that only answers errors.
fn request(mut stream: TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
        head.push(byte[0]);
    }
    stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    String::from_utf8(head).unwrap()
}

#[test]
fn a_header_that_a_ci_configured_is_sent_once_and_protocol_2_is_asked_for() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let global = scratch.base.join("global");
    fs::write(&global, format!("[http \"{address}\"]\nextraHeader = X-Everywhere: yes\n[protocol]\nversion = 0\n"))
        .unwrap();
    scratch.git(&["remote", "add", "origin", "https://forge.invalid/a.git"]);
    scratch.git(&["config", &format!("url.{address}/.insteadOf"), "https://forge.invalid/"]);
    scratch.git(&["config", &format!("http.{address}/.extraHeader"), "Authorization: basic c2VjcmV0"]);
    let door = door(&scratch, &[("GIT_CONFIG_GLOBAL", &global)]);
    let asked = std::thread::spawn(move || door.list(&["refs/yatsu/"]).unwrap_err());
    let head = request(accepted(&listener, &asked));
    assert!(head.starts_with("GET /a.git/info/refs?service=git-upload-pack HTTP/1.1"), "{head}");
    for line in ["X-Everywhere: yes", "Authorization: basic c2VjcmV0", "Git-Protocol: version=2"] {
        assert_eq!(head.matches(line).count(), 1, "{line} in {head}");
    }
    assert!(asked.join().unwrap().message.contains("not found"));
}

#[test]
fn no_secret_is_an_argument_and_none_is_in_a_message() {
    let scratch = Scratch::new();
    scratch.git(&["remote", "add", "origin", "https://me:s3cret@forge.invalid/a.git?key=t0ken"]);
    scratch.git(&["config", "http.extraHeader", "Authorization: basic c2VjcmV0"]);
    let seen = scratch.base.join("seen");
    let bin = scratch.base.join("bin");
    script(
        &bin.join("git"),
        &format!(
            "case \" $* \" in *' config '*|*' init '*) exec '{}' \"$@\";; esac\nprintf '%s\\n' \"$@\" >> '{1}.args'\n\
             env >> '{1}.env'\necho \"fatal: unable to access '$GIT_CONFIG_VALUE_0': no\" >&2\nexit 128",
            real_git().display(),
            seen.display()
        ),
    );
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let more = [
        ("PATH", Path::new(&path)),
        ("SSH_AUTH_SOCK", Path::new("/agent")),
        ("https_proxy", Path::new("http://p:1")),
        ("GIT_TRACE_CURL", Path::new("1")),
        ("GIT_INDEX_FILE", Path::new("/elsewhere")),
    ];
    let door = door(&scratch, &more);
    let error = door.list(&["refs/yatsu/"]).unwrap_err();
    assert!(error.message.ends_with("fatal: unable to access 'https://forge.invalid/a.git': no"), "{error}");
    let commit = crate::support::oid(&"1".repeat(40));
    door.push(&[of("refs/yatsu/a", commit, Expected::Nothing)], true).unwrap_err();
    assert!(matches!(door.fetch(&[commit.to_string()], LIMITS).unwrap(), Fetched::NotAll(_)));
    let (arguments, environment) = (
        fs::read_to_string(seen.with_extension("args")).unwrap(),
        fs::read_to_string(seen.with_extension("env")).unwrap(),
    );
    for secret in ["s3cret", "t0ken", "c2VjcmV0", "forge.invalid"] {
        assert!(!arguments.contains(secret), "{arguments}");
        assert!(environment.contains(secret), "{environment}");
    }
    for line in ["SSH_AUTH_SOCK=/agent", "https_proxy=http://p:1", "GIT_TERMINAL_PROMPT=0"] {
        assert!(environment.lines().any(|found| found == line), "{line} in {environment}");
    }
    assert!(!environment.contains("GIT_TRACE") && !environment.contains("GIT_INDEX_FILE"), "{environment}");
}

/// The patience of a door to a server that says nothing. A machine under load may need more than the first one to get as far
/// as the test needs it, so each attempt takes twice as long as the one before.
fn patiently<T>(attempt: impl FnMut(Duration) -> Option<T>) -> T {
    let longer = std::iter::successors(Some(Duration::from_millis(300)), |patience| Some(*patience * 2));
    longer.take(10).find_map(attempt).expect("an attempt that gets far enough in minutes")
}

#[test]
fn a_server_that_falls_silent_is_left_and_nothing_of_git_stays() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    scratch.git(&["remote", "add", "origin", &format!("http://{}/a.git", listener.local_addr().unwrap())]);
    patiently(|patience| {
        let error = door(&scratch, &[]).patient_for(patience).list(&["refs/yatsu/"]).unwrap_err();
        assert!(error.message.contains(&format!("said nothing for {patience:?} and was killed")), "{error}");
        let (mut stream, _) = listener.accept().ok()?;
        // the connection's program ended with git, so the connection ends
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let asked = stream.read_to_end(&mut Vec::new()).unwrap();
        (asked > 0).then_some(())
    });
}

#[test]
fn a_child_that_shares_our_terminal_is_killed_with_what_it_started() {
    let scratch = with_server();
    let bin = scratch.base.join("bin");
    let told = scratch.base.join("pid");
    let text =
        "case \" $* \" in *' config '*) exec REAL \"$@\";; esac\nsh -c 'echo $$ > TOLD; exec tail -f /dev/null' & wait";
    let text = text.replace("REAL", &real_git().display().to_string());
    script(&bin.join("git"), &text.replace("TOLD", &told.display().to_string()));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let repo = repo_with(&scratch, &[("PATH", Path::new(&path))]);
    let pid = patiently(|patience| {
        let door = repo.network(&scratch.base.join("own.git"), "origin", true).unwrap();
        door.patient_for(patience).list(&["refs/yatsu/"]).unwrap_err();
        fs::read_to_string(&told).ok().filter(|pid| pid.ends_with('\n'))
    });
    let about = format!("/proc/{}/stat", pid.trim());
    let deadline = Instant::now() + DEADLINE;
    let is_alive = || fs::read_to_string(&about).is_ok_and(|stat| !stat.contains(") Z "));
    while is_alive() {
        assert!(Instant::now() < deadline, "{pid} lives");
        std::thread::yield_now();
    }
}

#[test]
fn a_file_that_grows_past_its_limit_stops_the_fetch() {
    let scratch = with_server();
    let door = door(&scratch, &[]);
    let mut state = 1u64;
    let noise: Vec<u8> = (0..400_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .collect();
    scratch.write("noise", &noise);
    scratch.commit("noise");
    scratch.git(&["push", "-q", "origin", "main"]);
    let wanted = ["refs/heads/main:refs/a".to_owned()];
    let end = door.fetch(&wanted, FetchLimits { bytes: 100_000, anew: false }).unwrap();
    let Fetched::NotAll(error) = end else { panic!("it came") };
    assert!(error.message.contains("File too large") || error.message.contains("index-pack"), "{error}");
    assert_eq!(door.own_refs("refs/").unwrap(), []);
    assert!(matches!(door.fetch(&wanted, FetchLimits { bytes: 500_000, anew: false }).unwrap(), Fetched::All));
}
