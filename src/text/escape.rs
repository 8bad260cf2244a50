//! Text from a repository, made safe for a terminal.
