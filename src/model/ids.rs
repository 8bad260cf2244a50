//! Names of nodes for people: the shortest unique suffix of the directory.
