//! One integration binary: everything here runs the real program against real git in a hermetic environment.

mod cli;
mod corpus;
mod freshness;
mod hooks;
mod hostile;
mod hostile_yatsu;
mod install;
mod install_script;
mod layouts;
mod memo;
mod misuse;
mod open;
mod program;
mod record;
mod report;
mod rules;
mod scan;
mod score;
mod settings;
mod staged;
mod store;
mod strict;
mod support;
mod tidy;
mod tour;
mod worktree;
