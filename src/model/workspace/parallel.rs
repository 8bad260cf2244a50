//! Two threads for what must be read in order and may be parsed in any.

use crate::error::Result;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};

/// From so many items on a second thread pays: it costs as much as parsing a few files.
const WORTH_IT: usize = 32;

/// What `parse` makes of what `read` gives for each of `items`, in their order. Reading stays on this thread, which
/// alone may ask a tree; a second one parses meanwhile, and this one helps it when all is read.
///
/// # Errors
/// The first that `read` meets.
pub(super) fn read_and_parse<I, S: Send, T: Send>(
    items: Vec<I>,
    read: impl Fn(I) -> Result<S>,
    parse: impl Fn(S) -> T + Sync,
) -> Result<Vec<T>> {
    if items.len() < WORTH_IT {
        return items.into_iter().map(|item| Ok(parse(read(item)?))).collect();
    }
    let (jobs, queue) = mpsc::channel();
    let queue = Mutex::new(queue);
    let mut parsed = std::thread::scope(|scope| -> Result<_> {
        let second = scope.spawn(|| work(&queue, &parse));
        for job in items.into_iter().map(read).enumerate() {
            // the queue lives as long as this scope: nothing is sent in vain
            let _ = jobs.send((job.0, job.1?));
        }
        drop(jobs);
        let mut parsed = work(&queue, &parse);
        match second.join() {
            Ok(more) => parsed.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        Ok(parsed)
    })?;
    parsed.sort_by_key(|(number, _)| *number);
    Ok(parsed.into_iter().map(|(_, item)| item).collect())
}

/// Parses until the queue is empty and closed.
fn work<S, T>(queue: &Mutex<Receiver<(usize, S)>>, parse: impl Fn(S) -> T) -> Vec<(usize, T)> {
    let next = || queue.lock().ok()?.recv().ok();
    std::iter::from_fn(next).map(|(number, source)| (number, parse(source))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn many_and_few_come_out_in_their_order() {
        for count in [0, 1, WORTH_IT - 1, WORTH_IT, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled = read_and_parse(items, |item| Ok(item + 1), |item| item * 2).unwrap();
            assert_eq!(doubled, (1..=count).map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_failure_is_the_answer() {
        let read = |item: usize| if item % 100 == 99 { Err(Error::unchecked(item.to_string())) } else { Ok(item) };
        for count in [100, 1_000] {
            let failed = read_and_parse((0..count).collect(), read, |item| item).unwrap_err();
            assert_eq!(failed.message, "99");
        }
    }
}
