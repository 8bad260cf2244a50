//! Whether a reading still speaks for a view, and on which axes it does not.
