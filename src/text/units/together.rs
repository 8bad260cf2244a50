//! Parses many sources at once, on at most as many threads as there are sources.

use super::{Language, Units, UnreadUnits};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The units of one source, or the reason why they are not known.
pub type UnitsRead = Result<Units, UnreadUnits>;

/// A function that reads the units of one source, on any thread, in bounded time.
pub type ReadUnits = fn(Language, &[u8]) -> UnitsRead;

/// How many sources are parsed at once: the syntax tree of a large one takes tens of megabytes.
const MAX_THREADS: usize = 8;

/// The result of `read` for each of `sources`, in their order.
pub(crate) fn read_together(sources: &[(Language, &[u8])], read: ReadUnits) -> Vec<UnitsRead> {
    // the question opens files of the system, and a single source has no use for it
    let cores = if sources.len() < 2 { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
    let next = AtomicUsize::new(0);
    // a free thread takes the next source, because sources differ in cost
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((language, source)) = sources.get(number) else { return done };
            done.push((number, read(*language, source)));
        }
    };
    let mut all = thread::scope(|scope| {
        let more = cores.min(MAX_THREADS).min(sources.len()).saturating_sub(1);
        let others: Vec<_> = (0..more).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, units)| units).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_read_once_and_answered_in_its_place() {
        let texts: Vec<String> = (0..50).map(|number| "x".repeat(number)).collect();
        let sources: Vec<_> = texts.iter().map(|text| (Language::Rust, text.as_bytes())).collect();
        let told = read_together(&sources, |_, source| Err(UnreadUnits::Syntax(source.len())));
        assert_eq!(told, (0..50).map(|number| Err(UnreadUnits::Syntax(number))).collect::<Vec<_>>());
        assert_eq!(read_together(&[], |_, _| Err(UnreadUnits::Binary)), []);
    }
}
