//! What other tools wrote, through the program: reports of test runners that become readings, and files of other tools that
//! become drafts of scenarios.

mod age;
mod bulk;
mod ci;
mod drafts;
mod reasons;
