//! `spec.md`: a forgiving line reader.
