//! The conversation. Several questions are worked on at once and answered in their order. During long work a `busy` line
//! is sent now and then. The end of the questions ends everything.

use crate::shelf::{Shelf, Work};
use object_store::ObjectStore;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use yatsu_hook::remote::BucketUrl;
use yatsu_hook::remote::bucket::wire::{CloudAnswer, CloudQuestion, CloudTrouble, GREETING};

/// The time between two `busy` lines.
const TICK: Duration = Duration::from_secs(2);
/// How many answers to one question may wait to be written.
const WAITING: usize = 64;

/// Opens the store of a URL.
pub type OpenStore = Box<dyn Fn(&BucketUrl) -> Result<Arc<dyn ObjectStore>, String> + Send + Sync>;

/// One question under way: its answers, and the number of bytes moved for it.
type UnderWay = (Receiver<CloudAnswer>, Work);

/// Answers every line until the input ends.
///
/// # Errors
/// If the first line is no known greeting.
pub async fn serve(
    mut lines: UnboundedReceiver<String>,
    mut out: Box<dyn Write + Send>,
    open: OpenStore,
) -> Result<(), String> {
    let Some(greeting) = lines.recv().await else { return Ok(()) };
    write(&mut *out, GREETING);
    if greeting != GREETING {
        return Err(format!("`{}` is not `{GREETING}`: update both", greeting.escape_default()));
    }
    let (order, asked) = unbounded_channel();
    tokio::spawn(answer_in_order(asked, out));
    let mut shelf = None;
    while let Some(line) = lines.recv().await {
        begin(&line, &mut shelf, &open, &order);
    }
    Ok(())
}

/// Starts the work on one line.
fn begin(line: &str, shelf: &mut Option<Arc<Shelf>>, open: &OpenStore, order: &UnboundedSender<UnderWay>) {
    let (answers, receiver) = channel(WAITING);
    let work = Work::default();
    // the other task holds the only receiver as long as this program lives
    let _ = order.send((receiver, Arc::clone(&work)));
    let fail = |kind, text: &str| drop(answers.try_send(CloudAnswer::Fail(kind, text.to_owned())));
    let Some(question) = CloudQuestion::parse(line) else {
        return fail(CloudTrouble::Protocol, "a line that is no question");
    };
    if let CloudQuestion::Probe(url) = &question {
        match open(url).map(|store| Shelf::new(store, url)) {
            Ok(opened) => *shelf = Some(Arc::new(opened)),
            Err(why) => return fail(CloudTrouble::Config, &why),
        }
    }
    let Some(shelf) = shelf.clone() else {
        return fail(CloudTrouble::Protocol, "a question before a bucket was named");
    };
    tokio::spawn(async move { shelf.answer(question, &work, &answers).await });
}

async fn answer_in_order(mut asked: UnboundedReceiver<UnderWay>, mut out: Box<dyn Write + Send>) {
    while let Some((mut answers, work)) = asked.recv().await {
        loop {
            let answer = match tokio::time::timeout(TICK, answers.recv()).await {
                Ok(Some(answer)) => answer,
                Ok(None) => CloudAnswer::Fail(CloudTrouble::Store, "the work on it ended without an answer".to_owned()),
                Err(_) => CloudAnswer::Busy(work.load(Ordering::Relaxed)),
            };
            write(&mut *out, &answer.to_string());
            if !matches!(answer, CloudAnswer::Busy(_) | CloudAnswer::Listed(..)) {
                break;
            }
        }
    }
}

/// An error is ignored: a reader that is gone has closed our input too, which ends this program.
fn write(out: &mut dyn Write, line: &str) {
    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests;
