//! The program with the feature `cloud` does the work on a bucket itself. A test binary of its own: the program without the
//! feature is asked by the other one, which would have to be compiled twice.

#[path = "it/support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use support::{Said, Scratch, fed, scenarios, sha256};

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

/// The last line of what was said.
fn last_line(said: &Said) -> &str {
    said.out.lines().last().unwrap_or_default()
}

#[test]
fn what_was_healed_is_read_again_where_every_piece_is_read() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", server.local_addr().expect("an address"));
    std::thread::spawn(move || server.incoming().for_each(|stream| drop(answer(stream.expect("a stream")))));
    let clone = Scratch::new();
    clone.git(&["init", "-q", "--bare", "../server.git"]);
    clone.git(&["remote", "add", "origin", "../server.git"]);
    clone.write("src/a.rs", "fn a() {}\n");
    clone.write(".spec/board/yatsu.md", scenarios(&[("renders", "src/a.rs")]));
    clone.commit("begin");
    clone.write("../out.txt", "it rendered\n");
    clone.yatsu(&["eval", "board", "--pass", "--result", "../out.txt"]).expect(0);
    clone.commit("measured");
    clone.git(&["push", "-q", "origin", "--all"]);
    clone.git(&["fetch", "-q", "origin"]);
    clone.git(&["config", "yatsu.share", "s3://evidence"]);
    let yatsu = |args: &[&str]| {
        let mut command = clone.yatsu_command(args);
        command.env("AWS_ENDPOINT_URL", &endpoint).env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "here");
        command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "word");
        fed(command, "")
    };
    assert_eq!(last_line(&yatsu(&["share", "check"]).expect(0)), "all 1 there");
    assert_eq!(last_line(&yatsu(&["share", "check", "--deep"]).expect(1)), "1 missing, 0 there");
    let said = yatsu(&["share", "check", "--deep", "--heal"]).expect(1);
    assert!(
        said.out.contains(&sha256("it rendered\n")[..12]) && last_line(&said).starts_with("1 missing, 0 there"),
        "{}",
        said.out
    );
}
