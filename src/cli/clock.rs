//! The clock.

use crate::model::ledger::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Now. A clock before 1970 counts as 1970.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(millis).unwrap_or(Timestamp { millis: 0 })
}
