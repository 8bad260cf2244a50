//! `begin`: a token of the content that is about to be measured.

use crate::app::query::begin::{BeginRequest, begin as token_of};
use crate::cli::Exit;
use crate::cli::args::start::BeginArgs;
use crate::cli::call::Call;
use crate::error::{Error, Result};
use crate::report::begin as begin_text;
use crate::text::escape::echo;

pub(super) fn begin(call: Call<'_>, args: BeginArgs) -> Result<Exit> {
    let BeginArgs { nodes, scenario, tags } = args;
    if let (Some(_), [_, second, ..]) = (&scenario, &nodes[..]) {
        return Err(Error::usage(format!("--scenario belongs to one node, and {} is a second node", echo(second)))
            .hint("name scenarios of several nodes as NODE/SCENARIO"));
    }
    let repo = call.repo()?;
    let token = call.patiently(|| token_of(&call.site(&repo)?, &BeginRequest { nodes, scenario, tags }))?;
    call.answer(|out| match call.is_machine() {
        true => begin_text::write_json(&token.to_string(), out),
        false => writeln!(out, "{token}"),
    })
}
