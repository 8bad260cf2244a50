//! Which readings count: retractions applied, the latest by time.
