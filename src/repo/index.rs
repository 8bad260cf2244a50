//! The index file, mapped and read by ourselves (gitformat-index).
