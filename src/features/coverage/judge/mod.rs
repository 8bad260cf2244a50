//! What a measured run went through: judged against the work tree, added to readings and to the facts of a check.

pub(crate) mod earlier;
mod excused;
pub(crate) mod filing;
mod ground;
pub(crate) mod judging;
pub(crate) mod measured;
mod shared_run;
pub(crate) mod suggest;
pub(crate) mod undeclared;
