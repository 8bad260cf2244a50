//! The descendants of a process, from `/proc`. Used to end a git that shares our process group: killing the group would kill
//! us. Without `/proc` no descendants are found, and they end when their pipes close.

use rustix::process::Pid;
use std::collections::HashMap;
use std::fs;

/// The descendants of `parent` that `/proc` lists.
pub(super) fn of(parent: Pid) -> Vec<Pid> {
    let mut below: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        let about = number.and_then(|_| fs::read_to_string(entry.path().join("stat")).ok());
        if let Some((child, parent)) = number.zip(about.as_deref().and_then(parent_of)) {
            below.entry(parent).or_default().push(child);
        }
    }
    let (mut found, mut open) = (Vec::new(), vec![parent.as_raw_nonzero().get()]);
    while let Some(next) = open.pop() {
        let children = below.remove(&next).unwrap_or_default();
        found.extend(children.iter().copied().filter_map(Pid::from_raw));
        open.extend(children);
    }
    found
}

/// The fourth field of `stat`. The second is a name in brackets with arbitrary content.
fn parent_of(stat: &str) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        assert_eq!(parent_of("12 (a) b (c)) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("12"), None);
    }
}
