//! One conversation with `yatsu-hook-cloud`. A few questions are sent ahead and answered in order. The conversation ends
//! whatever the other program does: lines have a longest length, silence has a limit, and reading stops at the first
//! malformed line.

use super::wire::{CloudAnswer, CloudQuestion, GREETING, LONGEST_LINE};
use crate::error::{Error, Result};
use crate::text::scrub::scrub;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How many questions may wait for their answers.
pub(super) const AHEAD: usize = 8;
/// How many answers may wait to be read here.
const WAITING: usize = 64;
/// How many bytes of the program's error output are kept.
const MAX_COMPLAINT: u64 = 4096;
/// How long to wait for an ended program.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The program's name in messages.
const PROGRAM: &str = "yatsu-hook-cloud";

/// The hint for two programs of different versions.
pub(super) const UPDATE_BOTH: &str =
    "update both from one checkout: `cargo install --locked --path . --features cloud`";

/// The ends of the pipes to the program.
pub struct CloudPipes {
    /// The pipe for questions.
    pub questions: Box<dyn Write + Send>,
    /// The pipe for answers.
    pub answers: Box<dyn Read + Send>,
    /// The program's error output.
    pub complaints: Box<dyn Read + Send>,
    /// The process, if there is one.
    pub child: Option<Child>,
}

/// A source of questions that receives their answers.
pub(super) trait Conversation {
    /// The next question; `None` at the end.
    fn ask(&mut self) -> Result<Option<CloudQuestion>>;

    /// Receives an answer to the oldest question that is not finished.
    fn hear(&mut self, answer: CloudAnswer) -> Result<()>;
}

/// The input of the reading thread.
enum LineHeard {
    Line(String),
    /// A line that is too long, or not ASCII.
    Noise,
    /// The end of the pipe.
    End,
}

/// A running program that was greeted.
pub(super) struct CloudSession {
    /// `None` once the session is to end.
    questions: Option<Sender<String>>,
    answers: Receiver<LineHeard>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// Closes when the error output ends.
    complaining: Receiver<()>,
    child: Option<Child>,
    patience: Duration,
}

impl CloudSession {
    /// Greets the program. `patience` is how long it may be silent while a question waits.
    pub(super) fn begin(pipes: CloudPipes, patience: Duration) -> Result<Self> {
        let complaint = Arc::new(Mutex::new(Vec::new()));
        let (alive, complaining) = channel();
        let session = Self {
            questions: Some(write_on(pipes.questions)),
            answers: read_on(pipes.answers),
            complaint: Arc::clone(&complaint),
            complaining,
            child: pipes.child,
            patience,
        };
        thread::spawn(move || {
            keep_complaint(pipes.complaints, &complaint);
            drop(alive);
        });
        session.say(GREETING.to_owned());
        let greeting = session.line()?;
        if greeting == GREETING {
            return Ok(session);
        }
        let shown = greeting.escape_default();
        Err(match greeting.strip_prefix("yatsu-cloud ") {
            Some(_) => session
                .broken(&format!("speaks another version (`{shown}`, not `{GREETING}`)"))
                .hint(UPDATE_BOTH),
            None => session.broken("does not greet as expected: another program has its name")
                .hint("take that program out of PATH, or put the right one before it: `cargo install --locked --path . --features cloud`"),
        })
    }

    /// Asks all questions and receives all answers. After an error the session cannot be used again.
    pub(super) fn converse(&mut self, with: &mut dyn Conversation) -> Result<()> {
        let (mut waiting, mut is_over) = (0, false);
        loop {
            while waiting < AHEAD && !is_over {
                match with.ask()? {
                    Some(question) => {
                        self.say(question.to_string());
                        waiting += 1;
                    }
                    None => is_over = true,
                }
            }
            if waiting == 0 {
                return Ok(());
            }
            let line = self.line()?;
            let answer = CloudAnswer::parse(&line)
                .ok_or_else(|| self.broken("gave an answer that makes no sense").hint(UPDATE_BOTH))?;
            waiting -= usize::from(!matches!(answer, CloudAnswer::Busy(_) | CloudAnswer::Listed(..)));
            with.hear(answer)?;
        }
    }

    /// An error is ignored here: if the program is gone, its answer will be missing.
    fn say(&self, line: String) {
        if let Some(questions) = &self.questions {
            let _ = questions.send(line);
        }
    }

    fn line(&self) -> Result<String> {
        match self.answers.recv_timeout(self.patience) {
            Ok(LineHeard::Line(line)) => Ok(line),
            Ok(LineHeard::Noise) => {
                Err(self.broken("said something that is no line of its language").hint(UPDATE_BOTH))
            }
            Err(RecvTimeoutError::Timeout) => Err(self
                .broken(&format!("has said nothing for {} s", self.patience.as_secs()))
                .hint("run the same command again: what was done stays done")),
            Ok(LineHeard::End) | Err(RecvTimeoutError::Disconnected) => {
                // the reason for its end may arrive on the other pipe a moment later
                let _ = self.complaining.recv_timeout(self.patience.min(LAST_WORDS));
                Err(self
                    .broken("ended in the middle of it")
                    .hint("run the same command again: what was done stays done"))
            }
        }
    }

    /// An error about the program, with its error output.
    pub(super) fn broken(&self, what: &str) -> Error {
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaint).into_owned();
        let said = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        match said.as_str() {
            "" => Error::unchecked(format!("{PROGRAM} {what}")),
            said => Error::unchecked(format!("{PROGRAM} {what}: {}", scrub(said))),
        }
    }
}

impl Drop for CloudSession {
    fn drop(&mut self) {
        // closing its input ends the program; one that does not end is killed
        self.questions = None;
        while let Ok(LineHeard::Line(_)) = self.answers.recv_timeout(self.patience.min(LAST_WORDS)) {}
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Writes lines in a thread, because a program that does not read must not block the time limit.
fn write_on(mut to: Box<dyn Write + Send>) -> Sender<String> {
    let (sender, lines) = channel::<String>();
    thread::spawn(move || {
        for line in lines {
            if to.write_all(format!("{line}\n").as_bytes()).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

fn read_on(from: Box<dyn Read + Send>) -> Receiver<LineHeard> {
    let (sender, heard) = sync_channel(WAITING);
    thread::spawn(move || read_lines(from, &sender));
    heard
}

fn read_lines(from: Box<dyn Read + Send>, to: &SyncSender<LineHeard>) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        let read = (&mut from).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let heard = match read {
            Ok(1..) if is_whole && line.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
                LineHeard::Line(String::from_utf8_lossy(&line).into_owned())
            }
            Ok(1..) if is_whole || line.len() > LONGEST_LINE => LineHeard::Noise,
            // an unfinished line comes from a dying program
            _ => LineHeard::End,
        };
        let is_last = !matches!(heard, LineHeard::Line(_));
        if to.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Keeps the beginning and reads the rest too, because a full pipe would block the program.
fn keep_complaint(mut from: Box<dyn Read + Send>, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = (MAX_COMPLAINT as usize).saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(room)]);
    }
}
