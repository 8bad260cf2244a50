//! A child program in a process group of its own, so that it can be ended together with every process that it started.

pub(crate) use super::lifeline::end_all;
use super::lifeline::{self, Lifeline};
use crate::sys::Terminal;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};

/// The desktop's program that shows a file, by its names on different desktops.
pub(crate) const VIEWERS: [&str; 2] = ["xdg-open", "open"];

/// Directories and files that cannot exist, for git.
pub(crate) const NO_HOOKS: &str = "core.hooksPath=/dev/null";
pub(crate) const NO_FILE: &str = "/dev/null/none";

/// Whether programs run commands of their settings by sh.
pub(crate) const HAS_SH: bool = true;

/// Variables that a program needs to start at all.
pub(crate) const STARTING: &[&str] = &[];

/// A started program.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    shares_group: bool,
    /// Fields are dropped in this order, so this still guards the program while it is ended.
    _lifeline: Option<Lifeline>,
}

impl Child {
    /// Starts `command`. On a shared terminal it may read from the terminal, and Ctrl-C ends both. With `ends_with_us` it also
    /// ends if this process is killed. [`limited`] has limited its memory.
    pub(crate) fn start(
        mut command: Command,
        terminal: Terminal,
        ends_with_us: bool,
        _memory: Option<u64>,
    ) -> io::Result<Self> {
        if terminal == Terminal::Ours {
            command.process_group(0);
        }
        let process = command.spawn()?;
        let _lifeline = Some(&process).filter(|_| ends_with_us).and_then(pid_of).map(Lifeline::of);
        Ok(Self { process, shares_group: terminal == Terminal::Shared, _lifeline })
    }

    pub(crate) fn stdin(&mut self) -> Option<ChildStdin> {
        self.process.stdin.take()
    }

    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.process.stdout.take()
    }

    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait()
    }

    /// Asks the program and its descendants to end, and kills them if they do not.
    pub(crate) fn end(&mut self) {
        let process = &mut self.process;
        if let Some(own) = pid_of(process) {
            lifeline::end(&[own], &mut || drop(process.try_wait()));
        }
    }

    /// Kills the program and its descendants. An error only means that a process is gone.
    pub(crate) fn kill(&mut self) {
        match pid_of(&self.process) {
            Some(own) if self.shares_group => {
                let below = lifeline::descendants(own).into_iter();
                below.for_each(|child| kill_process(child, Signal::KILL).unwrap_or_default());
                kill_process(own, Signal::KILL).unwrap_or_default();
            }
            Some(own) => kill_process_group(own, Signal::KILL).unwrap_or_default(),
            None => {}
        }
    }
}

fn pid_of(child: &std::process::Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A command that becomes `program`, with kernel limits on it and its children: bytes of the largest file that it may
/// write, and of memory. A shell sets the limits on itself, so that this process never changes its own. Not every system
/// limits memory.
pub(crate) fn limited(program: &Path, file: u64, memory: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    let script = "ulimit -f \"$1\" && { ulimit -v \"$2\" 2>/dev/null || :; } && shift 2 && exec \"$@\"";
    let (blocks, kilobytes) = (file.div_ceil(512).max(1), memory >> 10);
    command.args(["-c", script, "sh", &blocks.to_string(), &kilobytes.to_string()]).arg(program);
    command
}

/// Lets the program that `command` starts survive the end of the terminal, and keep no directory in use.
pub(crate) fn detach(command: &mut Command) {
    command.current_dir("/").process_group(0);
}
