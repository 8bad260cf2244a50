//! Every decision that is taken from the environment, one table with reasons.
