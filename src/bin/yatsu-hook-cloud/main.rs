//! `yatsu-hook-cloud`: object storage for yatsu-hook, which starts it and asks it by lines (the module `remote::bucket::wire`
//! has them). A program of its own, so that the hook itself holds no network. It judges nothing, reads nothing of a
//! repository but the files that it is told to send, and writes nothing but the files that it is told to fill.

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
    // who asked is gone: nobody waits for what is still under way
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(errors, "{why}");
            ExitCode::from(3)
        }
    }
}

/// The lines of standard input, read by a thread of their own; the channel ends with them.
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
