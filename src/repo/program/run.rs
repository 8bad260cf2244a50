//! A child process with limits on its time and output. Threads read its output and pass it on in chunks, so that a hanging
//! child cannot hang this process: it waits until the limit at most, then kills the child.

use crate::error::{Error, Result};
use crate::sys::{self, Child, Terminal};
use crate::text::escape::clip;
use crate::text::scrub::scrub;
use bstr::ByteSlice;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of one read from a child.
const CHUNK: usize = 64 * 1024;
/// Bytes of the first reads: most answers are a few lines, and clearing a whole chunk costs more than reading them.
const FIRST_CHUNK: usize = 4 * 1024;
/// How many chunks may wait to be read.
const WAITING: usize = 4;
/// How much of a child's error output is kept, in bytes.
const MAX_COMPLAINT: usize = 64 * 1024;
/// How much of it an error quotes, in characters.
const MAX_QUOTED: usize = 2000;
/// Written into the pipe of a child's error output after the child has ended: all that the child wrote stands before it, also
/// when a program that the child left behind, e.g. an ssh that keeps its connection, holds the pipe open for hours.
const MARK: &[u8] = b"\0ended\0";

/// The hint for a child that vanished.
const ENDED: &str = "run the same command again; if it ends again, see what `git fsck` says";

/// The limits of a child.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for a whole run, or for one answer of a long-lived child.
    pub time: Duration,
    /// Bytes of output of a run, or of one answer.
    pub output: u64,
    /// Whether [`Self::time`] restarts with every output of the child: it waits for a network, and only silence means that
    /// nothing more comes.
    pub renewed: bool,
    /// Time for a whole run, even with continuous output.
    pub whole: Option<Duration>,
    /// The largest file that the child and its children may write. It also turns on the memory limit.
    pub file: Option<u64>,
    /// Whether the child may ask on the terminal. Then it shares our process group, because only the foreground group may
    /// read there, and Ctrl-C ends both.
    pub terminal: bool,
}

impl Default for Limits {
    /// 10 s and 256 MiB.
    fn default() -> Self {
        let (time, output) = (Duration::from_secs(10), 256 << 20);
        Self { time, output, renewed: false, whole: None, file: None, terminal: false }
    }
}

/// The destination of a child's standard error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Errors {
    /// A separate buffer, for the error message.
    Apart,
    /// The standard output, in the order in which it was written.
    Among,
}

/// The result of a child: exit code and output.
pub(super) struct Answer {
    /// The command, for messages.
    pub(super) what: String,
    /// The exit code; `None` when a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
}

impl Answer {
    /// The beginning of the child's error output, as one line; not escaped.
    pub(super) fn quoted(&self) -> String {
        in_one_line(&self.err)
    }
}

/// The beginning of error output as one line, without credentials. If a line was overwritten repeatedly, as by progress,
/// only its last state counts.
pub(super) fn in_one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let seen = |line: &str| line.trim_end().rsplit('\r').next().unwrap_or_default().trim().to_owned();
    let lines: Vec<String> = text.lines().map(seen).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "it gave no reason".into();
    }
    // before any cut: half a URL may show half a password
    let quoted = scrub(&lines.join("; ")).into_owned();
    let count = quoted.chars().count();
    if count <= MAX_QUOTED {
        return quoted;
    }
    let end: String = quoted.chars().skip(count - MAX_QUOTED / 2).collect();
    format!("{} {end}", clip(&quoted, MAX_QUOTED / 2))
}

/// The time of a child's last output, and its error output; two threads record them.
#[derive(Default)]
struct LastHeard {
    last: Mutex<Option<Instant>>,
    complaint: Mutex<Vec<u8>>,
}

impl LastHeard {
    fn now(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn last(&self) -> Option<Instant> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps error output; true at [`MARK`], which is not kept.
    fn complain(&self, chunk: &[u8]) -> bool {
        let mut kept = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        // a read may end inside of the mark
        let unseen = kept.len().saturating_sub(MARK.len());
        kept.extend_from_slice(chunk);
        if let Some(mark) = kept[unseen..].find(MARK) {
            kept.truncate(unseen + mark);
            return true;
        }
        // progress comes first and the reason for a failure last: a long text keeps both ends, in complete lines
        if kept.len() > 2 * MAX_COMPLAINT {
            let middle = MAX_COMPLAINT / 2..kept.len() - MAX_COMPLAINT / 2;
            let begin = kept[..middle.start].rfind_byte(b'\n').map_or(0, |at| at + 1);
            let end = kept[middle.end..].find_byte(b'\n').map_or(kept.len(), |at| middle.end + at + 1);
            kept.drain(begin..end);
        }
        false
    }

    fn complaint(&self) -> Vec<u8> {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A running child. Dropping it kills its process group and reaps it.
pub(super) struct Running {
    /// Its name in messages.
    pub(super) what: String,
    child: Child,
    reaped: bool,
    stdin: Option<ChildStdin>,
    output: Receiver<io::Result<Vec<u8>>>,
    /// Our own end of the child's error pipe, and the signal that everything before [`MARK`] is kept.
    errors: Option<(PipeWriter, Receiver<()>)>,
    heard: Arc<LastHeard>,
    chunk: Vec<u8>,
    at: usize,
    over: bool,
    pub(super) limits: Limits,
    began: Instant,
    asked: Instant,
}

impl Running {
    /// Starts `command`; `what` names it in messages.
    pub(super) fn spawn(mut command: Command, errors: Errors, limits: Limits, what: String) -> Result<Self> {
        let limits = Limits { time: sys::time_limit(limits.time), whole: limits.whole.map(sys::time_limit), ..limits };
        let cannot = |error: io::Error| {
            Error::unchecked(format!("{what} could not be started: {error}")).hint(match error.kind() {
                io::ErrorKind::NotFound => "install git, or let PATH lead to it",
                io::ErrorKind::PermissionDenied => "look at what PATH leads to: it must be a git that you may run",
                _ => "the system may have no process or memory left: run the same command again later",
            })
        };
        let (reader, writer) = io::pipe().map_err(cannot)?;
        command.stderr(writer.try_clone().map_err(cannot)?);
        let (mut among, mut apart) = (None, None);
        if errors == Errors::Among {
            command.stdout(writer);
            among = Some(reader);
        } else {
            command.stdout(Stdio::piped());
            apart = Some((reader, writer));
        }
        // children without a network start nothing, so they end when their pipes close; the start drops the command, which
        // holds the writing ends: otherwise the pipe never ends
        let (terminal, memory) = (Terminal::shared_if(limits.terminal), limits.file.map(|_| super::MEMORY));
        let mut child = Child::start(command, terminal, limits.renewed, memory).map_err(cannot)?;
        let heard = Arc::new(LastHeard::default());
        let output = match (among, child.stdout()) {
            (Some(reader), _) => pump(reader, Arc::clone(&heard)),
            (None, Some(reader)) => pump(reader, Arc::clone(&heard)),
            (None, None) => return Err(Error::fault(format!("{what} could not be started: no output"))),
        };
        let errors = apart.map(|(reader, writer)| (writer, pump_complaint(reader, Arc::clone(&heard))));
        let stdin = child.stdin();
        let (reaped, chunk, at, over, began) = (false, Vec::new(), 0, false, Instant::now());
        Ok(Self { what, child, reaped, stdin, output, errors, heard, chunk, at, over, limits, began, asked: began })
    }

    /// The remaining time for the next output.
    fn left(&self) -> Duration {
        let heard = self.heard.last().filter(|heard| self.limits.renewed && *heard > self.asked);
        let until = heard.unwrap_or(self.asked) + self.limits.time;
        let until = self.limits.whole.map_or(until, |whole| until.min(self.began + whole));
        until.saturating_duration_since(Instant::now())
    }

    /// Sends a request to a long-lived child and restarts its time.
    pub(super) fn request(&mut self, request: &[u8]) -> Result<()> {
        self.asked = Instant::now();
        let Some(stdin) = self.stdin.as_mut() else {
            return Err(Error::fault(format!("{} takes no requests", self.what)));
        };
        let sent = stdin.write_all(request).and_then(|()| stdin.flush());
        sent.map_err(|error| Error::unchecked(format!("{} stopped listening: {error}", self.what)).hint(ENDED))
    }

    /// The bytes up to `end`, which is consumed and left out; all the rest if the output ends before it.
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

    /// Exactly `count` bytes; an error if the output ends before.
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

    /// The next bytes, at most `most`.
    pub(super) fn some(&mut self, most: usize) -> Result<&[u8]> {
        if most > 0 && !self.fill()? {
            return Err(self.ended());
        }
        let end = self.chunk.len().min(self.at.saturating_add(most));
        let part = self.at..end;
        self.at = end;
        Ok(&self.chunk[part])
    }

    /// Whether the end of its output was read, so that it answers no more.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The error for a long-lived child that ended by itself, with its error output.
    pub(super) fn ended(&mut self) -> Error {
        let complaint = self.complaint();
        Error::unchecked(format!("{} ended before it had answered: {}", self.what, in_one_line(&complaint))).hint(ENDED)
    }

    /// Reads to the end and waits for the exit.
    pub(super) fn collect(mut self, input: Option<Vec<u8>>) -> Result<Answer> {
        if let (Some(mut stdin), Some(input)) = (self.stdin.take(), input) {
            // a child that does not read everything reports its reason by the exit code
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
            match self.output.recv_timeout(self.left()) {
                Ok(Ok(chunk)) => (self.chunk, self.at) = (chunk, 0),
                Ok(Err(error)) => {
                    return Err(Error::unread(format!("what {} printed", self.what), &error));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.over = true;
                    return Ok(false);
                }
                // output on its standard error may have extended the time
                Err(RecvTimeoutError::Timeout) if self.left().is_zero() => return Err(self.too_slow()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(true)
    }

    /// The child's error output, once it is complete.
    fn complaint(&mut self) -> Vec<u8> {
        if let Some((mut pipe, all)) = self.errors.take()
            && self.wait().is_ok()
        {
            pipe.write_all(MARK).unwrap_or_default();
            all.recv_timeout(self.left()).unwrap_or_default();
        }
        self.heard.complaint()
    }

    fn exit_code(&mut self) -> Result<Option<i32>> {
        let status = self.wait()?;
        self.reaped = true;
        Ok(status.code())
    }

    /// Waits for the end of the child's process.
    fn wait(&mut self) -> Result<ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if self.left().is_zero() => return Err(self.too_slow()),
                // its output has ended, so its process ends within microseconds
                Ok(None) => thread::sleep(Duration::from_micros(50)),
                Err(error) => return Err(Error::unchecked(format!("{} was lost: {error}", self.what)).hint(ENDED)),
            }
        }
    }

    fn too_slow(&self) -> Error {
        if self.limits.renewed {
            let whole = self.limits.whole.filter(|whole| self.began.elapsed() >= *whole);
            let what =
                whole.map_or(format!("said nothing for {:?}", self.limits.time), |whole| format!("took {whole:?}"));
            let complaint = in_one_line(&self.heard.complaint());
            return Error::unchecked(format!("{} {what} and was killed; last it said: {complaint}", self.what))
                .hint("look whether the server answers, then run the same command again: it goes on from there");
        }
        Error::unchecked(format!("{} did not finish within {:?} and was killed", self.what, self.limits.time))
            .hint("look for a file system that does not answer, or for a named pipe among git's files")
    }

    fn too_much(&self) -> Error {
        Error::unchecked(format!("{} printed more than {} bytes and was killed", self.what, self.limits.output))
            .hint("run that command of git yourself to see what is so large; nothing was judged")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.stdin = None;
        // with all that git started, because such a process may hold the pipe
        if self.limits.renewed && self.left().is_zero() {
            // it may talk to a server on this machine, in the middle of an update
            self.child.end();
        } else {
            self.child.kill();
        }
        self.child.wait().map(drop).unwrap_or_default();
    }
}

/// Makes room for a whole chunk after a read of `count` bytes that filled the buffer.
fn widen(buffer: &mut Vec<u8>, count: usize) {
    if count == buffer.len() {
        buffer.resize(CHUNK, 0);
    }
}

/// Passes on the output of `reader` until it ends or the receiver is gone.
fn pump(mut reader: impl Read + Send + 'static, heard: Arc<LastHeard>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(WAITING);
    thread::spawn(move || {
        let mut buffer = vec![0; FIRST_CHUNK];
        loop {
            let read = reader.read(&mut buffer);
            heard.now();
            match read {
                Ok(0) => return,
                Ok(count) if sender.send(Ok(buffer[..count].to_vec())).is_ok() => widen(&mut buffer, count),
                Ok(_) => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return sender.send(Err(error)).unwrap_or_default(),
            }
        }
    });
    receiver
}

/// Keeps both ends of the output of `reader`, and signals [`MARK`]. The middle is read and dropped, so that the child does not
/// block.
fn pump_complaint(mut reader: PipeReader, heard: Arc<LastHeard>) -> Receiver<()> {
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut buffer = vec![0; FIRST_CHUNK];
        loop {
            let read = reader.read(&mut buffer);
            heard.now();
            match read {
                Ok(count) if count > 0 && !heard.complain(&buffer[..count]) => widen(&mut buffer, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return sender.send(()).unwrap_or_default(),
            }
        }
    });
    receiver
}
