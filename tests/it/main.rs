//! One integration binary: everything here runs the real program against real git in a hermetic environment.

mod freshness;
mod hooks;
mod hostile_yatsu;
mod rules;
mod support;
mod tidy;
