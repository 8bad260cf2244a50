//! A child program in a job, so that it ends together with every process that it started, and with this process.

use super::calls::Job;
use crate::sys::Terminal;
use crate::sys::patience::ends_soon;
use std::io;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The program that shows a file.
pub(crate) const VIEWERS: [&str; 1] = ["explorer.exe"];

/// Directories and files that cannot exist, for git: no name has a `<`.
pub(crate) const NO_HOOKS: &str = "core.hooksPath=C:/<none>";
pub(crate) const NO_FILE: &str = "C:/<none>/none";

/// Whether programs run commands of their settings by sh; here by cmd or PowerShell.
pub(crate) const HAS_SH: bool = false;

/// Variables that a program needs to start at all, and to find the user's files.
pub(crate) const STARTING: &[&str] = &[
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];

const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
const DETACHED_PROCESS: u32 = 0x8;
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The jobs of the children that [`end_all`] ends.
static JOBS: Mutex<Vec<Weak<Job>>> = Mutex::new(Vec::new());

/// A started program.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    job: Arc<Job>,
}

impl Child {
    /// Starts `command`. On a shared terminal it may read from the console, and Ctrl-C ends both. A program always ends with
    /// this process; `ends_with_us` has [`end_all`] end it, too. `memory` is the most that it and its descendants may have.
    pub(crate) fn start(
        mut command: Command,
        terminal: Terminal,
        ends_with_us: bool,
        memory: Option<u64>,
    ) -> io::Result<Self> {
        if terminal == Terminal::Ours {
            // a hook of a program with windows has no console, and git would open one
            command.creation_flags(CREATE_NO_WINDOW);
        }
        let job = Arc::new(Job::new(memory)?);
        let mut process = command.spawn()?;
        // the program runs already: a process that it starts at once would not be in the job. A loader takes longer
        if let Err(error) = job.take(&process)
            && !ends_soon(&mut || Ok(process.try_wait()?.is_some()))?
        {
            drop(process.kill());
            return Err(error);
        }
        if ends_with_us {
            let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.retain(|job| job.strong_count() > 0);
            jobs.push(Arc::downgrade(&job));
        }
        Ok(Self { process, job })
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

    /// Ends the program and its descendants. Windows has no way to ask a program without a window.
    pub(crate) fn end(&mut self) {
        self.job.end();
    }

    /// Ends the program and its descendants.
    pub(crate) fn kill(&mut self) {
        self.job.end();
    }
}

/// Ends every child that was started to end with this process, and its descendants.
pub(crate) fn end_all() {
    let jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.iter().filter_map(Weak::upgrade).for_each(|job| job.end());
}

/// A command for `program`. Windows has no limit of file size, and memory is limited by the job of the child.
pub(crate) fn limited(program: &Path, _file: u64, _memory: u64) -> Command {
    Command::new(program)
}

/// Lets the program that `command` starts survive the end of the console.
pub(crate) fn detach(command: &mut Command) {
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}
