//! `report`: writes the score with its evidence as one page, for people without a terminal.

use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Verbosity;
use crate::cli::verbs::invite;
use crate::cli::{Exit, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::features::page::judge::page::{self as paging, PageRequest};
use crate::features::page::model::page::{PageContent, PieceCounts};
use crate::features::page::print::badge::{Badge, BadgeForm};
use crate::features::page::print::page as page_text;
use crate::features::page::print::written::WrittenPage;
use crate::features::page::verbs::report_args::ReportArgs;
use crate::repo::Repo;
use crate::report::receipt::Receipt;
use crate::store::page::write_page;
use crate::store::signals;
use crate::text::escape::{echo, terminal};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::path::Path;

impl FeatureArgs for ReportArgs {
    const NAME: &'static str = "report";
    const AFTER: &'static str = "ls";
    const LISTED: (Heading, u16) = (Heading::EveryDay, 70);

    fn run(self, call: Call<'_>) -> Result<Exit> {
        report(call, self)
    }
}

fn report(call: Call<'_>, args: ReportArgs) -> Result<Exit> {
    if args.range.pr {
        return super::range_review::range_review(call, args.range);
    }
    match (&args.badge, &args.html) {
        (Some(file), _) => badge(call, &args, file),
        (None, Some(file)) => write_html(call, &args, file),
        (None, None) => Err(Error::usage("name what to write: --html FILE, --badge FILE or --pr --from A --to B")
            .hint("for example: yatsu-hook report --html report.html")),
    }
}

/// Writes the score as a badge. A failed check writes a badge that says so.
fn badge(call: Call<'_>, args: &ReportArgs, file: &Path) -> Result<Exit> {
    let form = BadgeForm::of(file).ok_or_else(|| {
        Error::usage(format!("a badge is FILE.json or FILE.svg, not {}", echo(&file.to_string_lossy())))
            .hint("for example: yatsu-hook report --badge score.svg")
    })?;
    signals::install()?;
    let repo = call.repo()?;
    let request = PageRequest { publishes: true, history: 0, ..request(args, call.standing(&repo)) };
    let (badge, found) = match call.patiently(|| paging::page(&repo, &request)) {
        Ok(content) => (Badge::of(&content.score), Ok(content.score)),
        Err(error) if error.kind == ErrorKind::Unchecked => (Badge::unchecked(), Err(error)),
        Err(error) => return Err(error),
    };
    let bytes = stdio::made(|out| badge.write(form, out));
    write_page(&call.here()?.join(file), &bytes, form.beginning(), args.force)?;
    let score = found?;
    invite(call, &repo, score.all() == 0);
    let path = file.to_string_lossy().into_owned();
    let written =
        WrittenPage { path, size: bytes.len(), scenarios: score.all(), shown: 0, left_out: 0, missing: 0, masked: 0 };
    if call.is_machine() {
        return Ok(call.hand_over(&written, Exit::CLEAN));
    }
    let line = format!("wrote {}: {}\n", terminal(&*echo(&written.path)), badge.message());
    Ok(stdio::print_outcome(line.as_bytes(), Exit::CLEAN))
}

/// Writes the score with its evidence as one page.
fn write_html(call: Call<'_>, args: &ReportArgs, file: &Path) -> Result<Exit> {
    let is_stream = file == Path::new("-");
    if is_stream && call.is_machine() {
        return Err(Error::usage("standard output takes the page or the receipt, not both")
            .hint("name a file, or leave out --format json"));
    }
    signals::install()?;
    let repo = call.repo()?;
    let request = request(args, call.standing(&repo));
    let (content, page) = call.patiently(|| made(&repo, &request, args.max_size))?;
    invite(call, &repo, content.score.all() == 0);
    let receipt = receipt(file, &content, page.len());
    if is_stream {
        stdio::print(page.as_bytes())?;
        call.aside(&receipt.lines(false));
        return Ok(Exit::CLEAN);
    }
    write_page(&call.here()?.join(file), page.as_bytes(), page_text::BEGINNING, args.force)?;
    let exit = call.hand_over(&receipt, Exit::CLEAN);
    if let Some(hint) = unignored(call, &repo, file) {
        call.aside(&hint);
    }
    if let Some(why) = &content.no_history {
        call.aside(&format!("hint: the page does not have the score over time: {why}\n"));
    }
    Ok(exit)
}

/// The request of the page.
fn request(args: &ReportArgs, here: RepoPath) -> PageRequest {
    PageRequest {
        nodes: args.nodes.clone(),
        tags: args.tags.clone(),
        rev: args.rev.clone(),
        here,
        publishes: args.without_evidence,
        history: args.history,
        links: args.links.clone(),
    }
}

/// The page. It is made first without evidence, to find how much of `max_size` bytes is left for evidence.
pub(super) fn made(repo: &Repo, request: &PageRequest, max_size: usize) -> Result<(PageContent, String)> {
    let mut content = paging::page(repo, request)?;
    if content.pieces.is_empty() || request.publishes {
        let page = page_text::write(&content);
        return Ok((content, page));
    }
    let room = max_size.saturating_sub(page_text::write(&content).len());
    paging::fill(repo, &mut content, room)?;
    let page = page_text::write(&content);
    Ok((content, page))
}

fn receipt(path: &Path, content: &PageContent, size: usize) -> WrittenPage {
    let PieceCounts { shown, left_out, missing } = content.piece_counts();
    WrittenPage {
        path: path.to_string_lossy().into_owned(),
        size,
        scenarios: content.score.all(),
        shown,
        left_out,
        missing,
        masked: content.source.masked,
    }
}

/// A warning about a page in the work tree that the next `git add` would include.
fn unignored(call: Call<'_>, repo: &Repo, path: &Path) -> Option<String> {
    repo.work_dir.as_ref()?;
    let path = call.in_repository(repo, path).ok()?;
    let ignored = repo.worktree_view().ok()?.ignored(std::slice::from_ref(&path)).ok()?;
    let name = path.to_string();
    ignored.is_empty().then(|| format!("hint: git does not ignore {}: its evidence would be committed\n", echo(&name)))
}

impl Call<'_> {
    /// Prints a remark to standard error.
    fn aside(&self, line: &str) {
        if self.global.verbosity != Verbosity::Quiet {
            stdio::tell(crate::text::escape::lines(line).as_bytes());
        }
    }
}
