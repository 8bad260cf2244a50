//! `yatsu-hook-cloud`: object storage for yatsu-hook, which starts it and talks to it in lines (see the module
//! `remote::bucket::wire`). It is a separate program, so that the hook itself has no network code. It judges nothing. It
//! reads only the files that it is asked to send, and writes only the files that it is asked to fill.

mod open;
mod serve;
mod shelf;

use std::io::{BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use yatsu_hook::remote::bucket::wire::LONGEST_LINE;

fn main() -> ExitCode {
    let mut errors = std::io::stderr();
    if std::env::args_os().len() > 1 || std::io::stdin().is_terminal() {
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(errors, "yatsu-hook-cloud {version}: started by yatsu-hook, which speaks to it by lines");
        return ExitCode::from(2);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(errors, "no threads: {error}");
            return ExitCode::from(3);
        }
    };
    let served = runtime.block_on(serve::serve(lines(), Box::new(std::io::stdout()), Box::new(open::open)));
    // yatsu-hook is gone, so unfinished work is abandoned
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(errors, "{why}");
            ExitCode::from(3)
        }
    }
}

/// The lines of standard input, read in a thread. The channel ends with the input.
fn lines() -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || read(&sender));
    receiver
}

fn read(to: &UnboundedSender<String>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        if read.is_err() || line.pop_if(|byte| *byte == b'\n').is_none() {
            return;
        }
        if to.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}
