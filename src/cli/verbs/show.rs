//! `show`: the timeline of a node, or what a feature opens for it.

use crate::app::query::show as showing;
use crate::app::query::show::Withdrawn;
use crate::cli::Exit;
use crate::cli::args::view::ShowArgs;
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::global::Stream;
use crate::error::{Error, Result};
use crate::report::score as score_text;

pub(super) fn show(call: Call<'_>, args: &ShowArgs) -> Result<Exit> {
    if args.open {
        let open = extra::first(|extra| if let Extra::OpensNode(open) = extra { Some(open) } else { None });
        let open = open
            .ok_or_else(|| Error::usage("this program makes no page to open").hint("the timeline: leave out --open"))?;
        return open(call, args.node.as_deref());
    }
    let withdrawn = if args.all { Withdrawn::Listed } else { Withdrawn::Hidden };
    let repo = call.repo()?;
    let found = call.patiently(|| showing::show(&repo, args.node.as_deref(), &call.standing(&repo), withdrawn));
    super::invite(call, &repo, found.is_err());
    let (node, rows) = found?;
    let style = call.global.style(Stream::Out);
    call.answer(|out| match call.is_machine() {
        true => score_text::write_timeline_json(&rows, out),
        false => score_text::write_timeline(&node, &rows, &style, out),
    })
}
