//! A child process with a limit on its time and on its output. What it says is read by threads and passed on in chunks,
//! so that a child that hangs cannot hang us: whoever waits, waits no longer than the limit, then kills.

use crate::error::{Error, Result};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of one read from a child.
const CHUNK: usize = 64 * 1024;
/// How many chunks may wait for us.
const WAITING: usize = 4;
/// As much of what a child complains is kept.
const MAX_COMPLAINT: usize = 64 * 1024;
/// As much of it is quoted in an error.
const MAX_QUOTED: usize = 2000;

/// What a child of ours may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For a whole run, or for one answer of a long-lived child.
    pub time: Duration,
    /// Bytes of output of a run, or of one answer.
    pub output: u64,
}

impl Default for Limits {
    /// 10 s and 256 MiB.
    fn default() -> Self {
        Self { time: Duration::from_secs(10), output: 256 << 20 }
    }
}

/// Where a child's standard error goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Errors {
    /// Into a buffer of its own, for the message where it fails.
    Apart,
    /// Into its standard output, in the order in which it was written.
    Among,
}

/// How a child ended and what it said.
pub(super) struct Answer {
    /// The command, for messages.
    pub(super) what: String,
    /// The exit code; `None` when a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
}

impl Answer {
    /// The beginning of what the child complained, as one line; not escaped.
    pub(super) fn quoted(&self) -> String {
        in_one_line(&self.err)
    }
}

/// The beginning of a complaint as one line.
pub(super) fn in_one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_QUOTED)]);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "it gave no reason".into() } else { lines.join("; ") }
}

/// A child at work. Killed with its whole process group, and reaped, when dropped.
pub(super) struct Running {
    what: String,
    child: Child,
    reaped: bool,
    stdin: Option<ChildStdin>,
    output: Receiver<io::Result<Vec<u8>>>,
    errors: Option<Receiver<io::Result<Vec<u8>>>>,
    chunk: Vec<u8>,
    at: usize,
    limits: Limits,
    deadline: Instant,
}

impl Running {
    /// Starts `command`; `what` names it in messages.
    pub(super) fn spawn(mut command: Command, errors: Errors, limits: Limits, what: String) -> Result<Self> {
        let cannot = |error: io::Error| Error::unchecked(format!("{what} could not be started: {error}"));
        command.process_group(0);
        let mut among = None;
        if errors == Errors::Among {
            let (reader, writer) = io::pipe().map_err(cannot)?;
            command.stdout(writer.try_clone().map_err(cannot)?).stderr(writer);
            among = Some(reader);
        } else {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let mut child = command.spawn().map_err(cannot)?;
        // the command still holds the writing ends: without this the pipe never ends
        drop(command);
        let output = match (among, child.stdout.take()) {
            (Some(reader), _) => pump(reader),
            (None, Some(reader)) => pump(reader),
            (None, None) => return Err(Error::unchecked(format!("{what} could not be started: no output"))),
        };
        let errors = child.stderr.take().map(pump_complaint);
        let stdin = child.stdin.take();
        let deadline = Instant::now() + limits.time;
        Ok(Self { what, child, reaped: false, stdin, output, errors, chunk: Vec::new(), at: 0, limits, deadline })
    }

    /// What it is called in messages.
    pub(super) fn what(&self) -> &str {
        &self.what
    }

    /// What it may use.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Sends a request to a long-lived child; its time begins now.
    pub(super) fn request(&mut self, request: &[u8]) -> Result<()> {
        self.deadline = Instant::now() + self.limits.time;
        let Some(stdin) = self.stdin.as_mut() else {
            return Err(Error::unchecked(format!("{} takes no requests", self.what)));
        };
        let sent = stdin.write_all(request).and_then(|()| stdin.flush());
        sent.map_err(|error| Error::unchecked(format!("{} stopped listening: {error}", self.what)))
    }

    /// The bytes up to `end`, which is consumed and left out; what there is when the output ends before.
    pub(super) fn until(&mut self, end: u8, max: usize) -> Result<Option<Vec<u8>>> {
        let mut taken = Vec::new();
        while self.fill()? {
            let rest = &self.chunk[self.at..];
            let found = rest.iter().position(|byte| *byte == end);
            taken.extend_from_slice(&rest[..found.unwrap_or(rest.len())]);
            self.at += found.map_or(rest.len(), |found| found + 1);
            if taken.len() > max {
                return Err(self.too_much());
            }
            if found.is_some() {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    /// Exactly `count` bytes; an error when the output ends before.
    pub(super) fn exactly(&mut self, count: u64) -> Result<Vec<u8>> {
        let count = usize::try_from(count).map_err(|_| self.too_much())?;
        let mut taken = Vec::new();
        while taken.len() < count {
            if !self.fill()? {
                return Err(self.ended());
            }
            let rest = &self.chunk[self.at..];
            let part = rest.len().min(count - taken.len());
            taken.extend_from_slice(&rest[..part]);
            self.at += part;
        }
        Ok(taken)
    }

    /// The error for a long-lived child that ended by itself, with what it complained.
    pub(super) fn ended(&mut self) -> Error {
        let complaint = self.complaint();
        Error::unchecked(format!("{} ended before it had answered: {}", self.what, in_one_line(&complaint)))
    }

    /// Reads to the end and waits for the exit.
    pub(super) fn collect(mut self, input: Option<Vec<u8>>) -> Result<Answer> {
        if let (Some(mut stdin), Some(input)) = (self.stdin.take(), input) {
            // a child that does not read all of it has its reasons and says so by its exit code
            thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
        }
        let mut out = Vec::new();
        while self.fill()? {
            out.extend_from_slice(&self.chunk[self.at..]);
            self.at = self.chunk.len();
            if out.len() as u64 > self.limits.output {
                return Err(self.too_much());
            }
        }
        let err = self.complaint();
        let code = self.exit_code()?;
        Ok(Answer { what: std::mem::take(&mut self.what), code, out, err })
    }

    /// Makes at least one byte available; false at the end of the output.
    fn fill(&mut self) -> Result<bool> {
        while self.at == self.chunk.len() {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(Ok(chunk)) => (self.chunk, self.at) = (chunk, 0),
                Ok(Err(error)) => {
                    return Err(Error::unchecked(format!("the output of {} could not be read: {error}", self.what)));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
                Err(RecvTimeoutError::Timeout) => return Err(self.too_slow()),
            }
        }
        Ok(true)
    }

    fn complaint(&mut self) -> Vec<u8> {
        let Some(errors) = self.errors.take() else { return Vec::new() };
        let left = self.deadline.saturating_duration_since(Instant::now());
        errors.recv_timeout(left).ok().and_then(Result::ok).unwrap_or_default()
    }

    fn exit_code(&mut self) -> Result<Option<i32>> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.reaped = true;
                    return Ok(status.code());
                }
                Ok(None) if Instant::now() >= self.deadline => return Err(self.too_slow()),
                // its output has ended, so its process does within microseconds
                Ok(None) => thread::sleep(Duration::from_micros(50)),
                Err(error) => return Err(Error::unchecked(format!("{} was lost: {error}", self.what))),
            }
        }
    }

    fn too_slow(&self) -> Error {
        Error::unchecked(format!("{} did not finish within {:?} and was killed", self.what, self.limits.time))
            .hint("look for a file system that does not answer, or for a named pipe among git's files")
    }

    fn too_much(&self) -> Error {
        Error::unchecked(format!("{} printed more than {} bytes and was killed", self.what, self.limits.output))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.stdin = None;
        // the group, because git may have started something that holds the pipe; both fail only when it is gone already
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap_or_default();
        }
        self.child.wait().map(drop).unwrap_or_default();
    }
}

/// Passes on what `reader` yields until it ends or nobody listens.
fn pump(mut reader: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(WAITING);
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) if sender.send(Ok(buffer[..count].to_vec())).is_ok() => {}
                Ok(_) => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return sender.send(Err(error)).unwrap_or_default(),
            }
        }
    });
    receiver
}

/// Passes on the beginning of what `reader` yields, in one piece at its end; the rest is read and dropped so that the
/// child does not block.
fn pump_complaint(reader: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver): (SyncSender<io::Result<Vec<u8>>>, _) = sync_channel(1);
    thread::spawn(move || {
        let mut kept = Vec::new();
        for chunk in pump(reader) {
            let Ok(chunk) = chunk else { break };
            let room = MAX_COMPLAINT - kept.len();
            kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        sender.send(Ok(kept)).unwrap_or_default();
    });
    receiver
}
