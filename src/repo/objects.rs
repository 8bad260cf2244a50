//! Objects by id: the one place that reads them through libgit2.
