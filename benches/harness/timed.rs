//! Runs commands alternately and prints how long each run of each took, as a whole process, with its peak memory.
//! Small and static itself: what a child inherits from its parent counts as the child's memory.
//!
//! `timed ROUNDS FILE`: the file has one command per line, its arguments separated by tabs; one whose first word is `-`
//! only prepares the next and is not measured. Prints lines of `command-number nanoseconds cpu-nanoseconds peak-kilobytes
//! exit-code`. The first round warms up and is not printed.

use std::process::{Command, Stdio, exit};
use std::time::Instant;

unsafe extern "C" {
    fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut [i64; 32]) -> i32;
}

/// Nanoseconds, the processor's part of them (children included), peak kilobytes, exit code.
fn run(line: &str) -> (u128, i64, i64, i32) {
    let mut words = line.split('\t');
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let child = command.spawn().unwrap_or_else(|error| panic!("{line}: {error}"));
    let (mut status, mut usage) = (0, [0; 32]);
    let waited = unsafe { wait4(child.id() as i32, &mut status, 0, &mut usage) };
    let took = start.elapsed().as_nanos();
    assert_eq!(waited, child.id() as i32, "{line}: wait4");
    // struct rusage begins with two timevals of two words each
    let cpu = (usage[0] + usage[2]) * 1_000_000_000 + (usage[1] + usage[3]) * 1_000;
    (took, cpu, usage[4], (status >> 8) & 0xff)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, rounds, file] = args.as_slice() else {
        eprintln!("usage: timed ROUNDS FILE");
        exit(2);
    };
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let text = std::fs::read_to_string(file).expect("a file of commands");
    for round in 0..=rounds {
        let mut number = 0;
        for line in text.lines() {
            if let Some(preparation) = line.strip_prefix("-\t") {
                assert_eq!(run(preparation).3, 0, "{preparation}");
                continue;
            }
            let (nanos, cpu, peak, code) = run(line);
            if round > 0 {
                println!("{number} {nanos} {cpu} {peak} {code}");
            }
            number += 1;
        }
    }
}
