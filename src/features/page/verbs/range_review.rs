//! `report --pr`: a comment on a pull request. Its verdict and its exit code are the ones of `check --from A --to B`.

use crate::app::judge::verdict::{Older, Reader};
use crate::cli::call::Call;
use crate::cli::verbs::push;
use crate::cli::{Exit, echo, emit, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::features::page::judge::range_review::{end, review};
use crate::features::page::model::range_review::RangeReview;
use crate::features::page::print::range_review::{self as comment, CommentStyle};
use crate::features::page::verbs::range_review_args::RangeReviewArgs;

pub(super) fn range_review(call: Call<'_>, args: RangeReviewArgs) -> Result<Exit> {
    let (exit, review) = match reviewed(call, &args) {
        Ok(review) => (Exit(review.verdict.exit_code()), review),
        // an older comment with a verdict would still speak
        Err(error) if !matches!(error.kind, ErrorKind::Usage | ErrorKind::Refused(_)) => {
            let error = echo::brief(&error);
            emit::tell(&error, call.global);
            (Exit(error.kind.exit_code()), RangeReview::unchecked(&error))
        }
        Err(error) => return Err(error),
    };
    let style = CommentStyle { page: args.page, pictures: args.pictures, notes: args.notes, limit: args.limit };
    Ok(stdio::print_made(exit, |out| match call.is_machine() {
        true => comment::write_json(&review, &style, out),
        false => comment::write(&review, &style, out),
    }))
}

fn reviewed(call: Call<'_>, args: &RangeReviewArgs) -> Result<RangeReview> {
    let ends = args.from.as_deref().zip(args.to.as_deref());
    let (from, to) = ends.ok_or_else(|| Error::fault("`--pr` was parsed without both ends"))?;
    let repo = call.repo()?;
    let (from, to) = (end(&repo, from)?, end(&repo, to)?);
    let checked = args.checked.as_deref().map(|rev| end(&repo, rev)).transpose()?;
    let options = call.options(args.strict, Reader::Range(Older::Hide));
    let report = push::range(call, &repo, (&from.to_string(), &to.to_string()), options, &[])?;
    call.patiently(|| review(&repo, report, checked))
}
