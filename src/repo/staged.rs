//! What is staged: the difference between HEAD and the index, by the shortest exact way.
