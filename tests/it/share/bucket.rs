//! Work on a bucket: the hook leaves it to `yatsu-hook-cloud`, the same program with the feature `cloud`.

use super::Two;
use crate::support::fed;

#[cfg(not(feature = "cloud"))]
mod without_network {
    use super::*;
    use crate::support::{Said, executable, hermetic, program};
    use std::fs;

    /// Runs a copy of the program in the directory of the fake, which is looked for there first. The directory of the program
    /// itself may have a real `yatsu-hook-cloud`.
    fn yatsu(two: &Two, args: &[&str], input: &str) -> Said {
        let copy = two.a.base.join("bin/yatsu-hook");
        if !copy.exists() {
            fs::hard_link(program(), &copy).or_else(|_| fs::copy(program(), &copy).map(drop)).expect("a copy");
        }
        let mut command = hermetic(copy, &two.a.home());
        command.current_dir(&two.a.root).args(args);
        fed(command, input)
    }

    /// A clone that shares through a bucket, and a fake of `yatsu-hook-cloud` of this version, which then runs `text`.
    fn faked(text: &str) -> Two {
        let two = Two::new();
        two.file("renders", "it rendered\n");
        two.a.git(&["config", "yatsu.share", "s3://evidence"]);
        let version = env!("CARGO_PKG_VERSION");
        let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'yatsu-hook {version}+cloud'\n{text}\n");
        executable(&two.a.base.join("bin/yatsu-hook-cloud"), &script);
        two
    }

    #[test]
    fn the_other_program_gets_the_same_arguments_and_its_exit_code_is_ours() {
        let two = faked("echo \"$@\"; exit 7");
        for args in [
            &["share", "push", "--all"][..],
            &["--format", "json", "share", "check", "--deep"],
            &["share", "get"],
            &["share", "drop", "1a2b3c4d", "--reason", "it shows a token"],
            &["share", "prune", "--before", "2020-01"],
            &["share", "on", "gs://other/x", "--dry-run"],
            &["clean", "--shared", "--dry-run"],
        ] {
            assert_eq!(yatsu(&two, args, "").expect(7).out, format!("{}\n", args.join(" ")));
        }
        // these need no connection
        for args in [&["share"][..], &["clean", "--dry-run"], &["share", "on", "--dry-run"], &["share", "off"]] {
            yatsu(&two, args, "").expect(0);
        }
    }

    #[test]
    fn another_version_and_a_missing_program_are_refused() {
        let two = faked("exit 0");
        for args in [&["share", "push"][..], &["clean", "--shared"]] {
            executable(&two.a.base.join("bin/yatsu-hook-cloud"), "#!/bin/sh\necho yatsu-hook 0.0.1+cloud\n");
            let said = yatsu(&two, args, "").expect(3);
            assert!(said.err.contains("another version") && said.err.contains("update both"), "{}", said.err);
            fs::remove_file(two.a.base.join("bin/yatsu-hook-cloud")).expect("removed");
            let said = yatsu(&two, args, "").expect(3);
            assert!(said.err.contains("is not installed"), "{}", said.err);
        }
    }

    fn push(two: &Two) -> Said {
        two.a.git(&["config", "yatsu.share.onpush", "true"]);
        let head = two.a.git(&["rev-parse", "HEAD"]);
        let input = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
        yatsu(two, &["pre-push", "origin", "../server.git"], &input).expect(0)
    }

    #[test]
    fn a_push_sends_through_the_other_program_and_goes_on_whatever_that_does() {
        let two = faked("echo \"$@\" >&2; exit 0");
        let said = push(&two);
        let head = two.a.git(&["rev-parse", "HEAD"]);
        assert!(said.err.contains(&format!("-C . share push --tip {head}\n")), "{}", said.err);
        assert!(!said.err.contains("not sent"), "{}", said.err);
        let two = faked("exit 2");
        assert!(push(&two).err.contains("evidence was not sent: yatsu-hook-cloud"), "{}", push(&two).err);
    }

    #[test]
    fn a_push_ends_the_other_program_when_its_time_is_over() {
        // waits for a writer of the fifo that never comes
        let two = faked("mkfifo \"$0.fifo\"; echo $$ >\"$0.pid\"; exec cat \"$0.fifo\"");
        let said = push(&two);
        assert!(said.err.contains("evidence was not sent within 10 s"), "{}", said.err);
        let pid = fs::read_to_string(two.a.base.join("bin/yatsu-hook-cloud.pid")).expect("it was started");
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "{state}");
    }
}

#[cfg(feature = "cloud")]
mod with_network {
    use super::super::last;
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};

    const ABOUT: &str = "ETag: \"1\"\r\nLast-Modified: Mon, 02 Nov 2026 00:00:00 GMT\r\nConnection: close\r\n";

    /// Answers one request like a server of S3 that has the same 12 bytes under every name, and takes and deletes nothing.
    fn answer(mut stream: TcpStream) -> std::io::Result<()> {
        let (mut lines, mut head) = (BufReader::new(stream.try_clone()?), Vec::new());
        loop {
            let mut line = String::new();
            lines.read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            head.push(line.to_ascii_lowercase());
        }
        let size = head.iter().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        std::io::copy(&mut lines.take(size.unwrap_or(0)), &mut std::io::sink())?;
        let (status, body) = match head.first().map_or("", |line| line.split(' ').next().unwrap_or_default()) {
            "get" | "head" if head[0].contains(&"0".repeat(64)) => ("404 Not Found", "<Code>NoSuchKey</Code>"),
            "head" => ("200 OK", "            "),
            "get" => ("200 OK", "it rendereD\n"),
            "put" => ("412 Precondition Failed", ""),
            _ => ("403 Forbidden", ""),
        };
        let shown = if head[0].starts_with("head") { "" } else { body };
        write!(stream, "HTTP/1.1 {status}\r\n{ABOUT}Content-Length: {}\r\n\r\n{shown}", body.len())
    }

    #[test]
    fn what_was_healed_is_read_again_where_every_piece_is_read() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = format!("http://{}", server.local_addr().expect("an address"));
        std::thread::spawn(move || server.incoming().for_each(|stream| drop(answer(stream.expect("a stream")))));
        let two = Two::new();
        let hash = two.file("renders", "it rendered\n");
        two.publish();
        two.a.git(&["config", "yatsu.share", "s3://evidence"]);
        let yatsu = |args: &[&str]| {
            let mut command = two.a.yatsu_command(args);
            command.env("AWS_ENDPOINT_URL", &endpoint).env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "here");
            command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "word");
            fed(command, "")
        };
        assert_eq!(last(&yatsu(&["share", "check"]).expect(0)), "all 1 there");
        assert_eq!(last(&yatsu(&["share", "check", "--deep"]).expect(1)), "1 missing, 0 there");
        let said = yatsu(&["share", "check", "--deep", "--heal"]).expect(1);
        assert!(said.out.contains(&hash[..12]) && last(&said).starts_with("1 missing, 0 there"), "{}", said.out);
    }
}
