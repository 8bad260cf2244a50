//! One integration binary: everything here runs the real program against real git in a hermetic environment.

mod hostile_yatsu;
mod support;
