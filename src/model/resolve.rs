//! What a governed path is in a view: a file, a directory, the matches of a glob, or a ghost and why.
