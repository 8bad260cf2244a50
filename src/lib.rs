//! yatsu-hook keeps a repository honest about what was measured. It executes nothing: it declares, records, judges and
//! guards. The modules are the data flow:
//!
//! ```text
//! git (index, trees) -> repo -> model -> engine -> rules -> findings -> report + exit code
//! eval / retract     -> store (evidence, then one locked append to the ledger)
//! ```
//!
//! | module | turns | into | sees |
//! |---|---|---|---|
//! | [`text`] | bytes | spanned values | nothing |
//! | `sys` | the calls of one system | files, directories, names on disk | nothing |
//! | [`tree`] | names and ids of git | paths, entries, the trait that every view implements | `text`, `error` |
//! | [`repo`] | a git repository | views, staged changes, objects | leaves |
//! | [`model`] | a view | a workspace of nodes, scenarios, readings | leaves |
//! | [`engine`] | a workspace and history | facts: fresh or stale, lost lines | `model` |
//! | [`rules`] | facts | findings | `model`, `engine` |
//! | [`report`] | findings | text, JSON, SARIF, annotations | `finding` |
//! | [`store`] | evidence and events | durable files | the encoding of a reading |
//! | `remote` | pieces of evidence | the same on another machine | `store`, `repo`, the names of evidence |
//! | [`app`] | a request | a result; prints nothing | everything above |
//! | [`cli`] | arguments | a request; prints, exits | everything |
//! | `features` | the table | one row a feature, with its directory | everything |
//!
//! [`finding`], [`error`], `names`, `sys`, [`text`] and [`tree`] are leaves. `tests/it/tidy/mod.rs` fails on any other import.

pub mod app;
pub mod cli;
pub mod engine;
pub mod error;
pub mod features;
pub mod finding;
pub mod model;
mod names;
mod remote;
pub mod repo;
pub mod report;
pub mod rules;
pub mod store;
mod sys;
pub mod text;
pub mod tree;
