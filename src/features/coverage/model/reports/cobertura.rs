//! The XML of Cobertura: `coverage`, in it `sources` and `packages`, in those `class` with `filename`, `methods` and `lines`.
//!
//! gcovr and nyc write a document type; it is skipped. One that declares entities is refused, so that XML's own five are
//! the only ones, and no entity can grow or read a file.

use super::input::CoverageInput;
use super::record::{Record, Records};
use super::{Coverage, CoverageFault, Format, MAX_DEPTH, has_run, refusal};
use crate::text::xml::{refuse_other_than_utf8, resolved};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// How many directories names may be relative to, because each name is looked for in all of them.
const MAX_SOURCES: usize = 64;
/// How many places the names may have: each name in each source.
const MAX_PLACES: usize = 4 << 20;
/// How many attributes one element may have, because checking for duplicates compares all pairs.
const MAX_ATTRIBUTES: usize = 64;

pub(super) fn read(document: CoverageInput<'_>, report: Records) -> Result<Coverage, CoverageFault> {
    let mut reader = Reader::from_reader(document);
    reader.config_mut().check_comments = true;
    let mut walk = CoberturaWalk { report, ..CoberturaWalk::default() };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let line = reader.get_ref().line();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(error)) => return Err(CoverageFault::of(error.to_string())),
            Err(error) => return Err(CoverageFault::at(line, format!("the file is no XML: {error}"))),
        };
        let is_end = matches!(event, Event::Eof);
        walk.event(event).map_err(|message| CoverageFault::at(line, message))?;
        if is_end {
            return bounded(walk.report.finish(Format::Cobertura));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Coverage,
    Sources,
    Source,
    Packages,
    Package,
    Classes,
    Class,
    Methods,
    Method,
    MethodLines,
    Lines,
    /// An element that is skipped with its content.
    Other,
}

/// Refuses a report with too many places to look for its names.
fn bounded(coverage: Coverage) -> Result<Coverage, CoverageFault> {
    let (files, sources) = (coverage.files.len(), coverage.sources.len());
    match files * sources > MAX_PLACES {
        true => Err(CoverageFault::of(format!("it names {files} files and {sources} sources: write fewer sources"))),
        false => Ok(coverage),
    }
}

#[derive(Default)]
struct CoberturaWalk {
    open: Vec<Open>,
    seen_root: bool,
    seen_packages: bool,
    report: Records,
    /// The file of the open class.
    file: u32,
    record: Record,
    /// The first line of the open method, and whether one of its lines ran; `None` before its first line. A line may be 0.
    method: Option<(u32, bool)>,
}

impl CoberturaWalk {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::Empty(tag) => {
                self.start(&tag)?;
                self.end()
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.text(&resolved(&reference)?),
            Event::Decl(declaration) => refuse_other_than_utf8(&declaration, "file"),
            Event::DocType(text) if text.contains('[') => {
                Err("the document type declares entities, and none are read".into())
            }
            Event::DocType(_) | Event::Comment(_) | Event::PI(_) => Ok(()),
            Event::Eof if !self.open.is_empty() => Err("the file ends inside an element".into()),
            Event::Eof if !self.seen_packages => Err(refusal::unknown()),
            Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the file is nested deeper than {MAX_DEPTH} elements"));
        }
        let name = tag.local_name();
        let open = match (self.open.last(), name.as_ref()) {
            (None, name) => self.root(name)?,
            (Some(Open::Coverage), "sources") => Open::Sources,
            (Some(Open::Coverage), "packages") => {
                self.seen_packages = true;
                Open::Packages
            }
            (Some(Open::Coverage), "project") => return Err(refusal::CLOVER.into()),
            (Some(Open::Coverage), "file") => return Err(refusal::SONAR.into()),
            (Some(Open::Sources), "source") => {
                if self.report.sources.len() >= MAX_SOURCES {
                    return Err(format!("it has more than {MAX_SOURCES} sources"));
                }
                self.report.sources.push(String::new());
                Open::Source
            }
            (Some(Open::Packages), "package") => Open::Package,
            (Some(Open::Package), "classes") => Open::Classes,
            (Some(Open::Classes), "class") => self.class(tag)?,
            (Some(Open::Class), "methods") => Open::Methods,
            (Some(Open::Methods), "method") => {
                self.method = None;
                Open::Method
            }
            (Some(Open::Method), "lines") => Open::MethodLines,
            (Some(Open::Class), "lines") => Open::Lines,
            (Some(parent @ (Open::MethodLines | Open::Lines)), "line") => self.line(*parent, tag)?,
            (Some(_), _) => Open::Other,
        };
        self.open.push(open);
        Ok(())
    }

    fn root(&mut self, name: &str) -> Result<Open, String> {
        if std::mem::replace(&mut self.seen_root, true) {
            return Err("the file goes on after its end".into());
        }
        match name {
            "coverage" => Ok(Open::Coverage),
            "report" => Err(refusal::JACOCO.into()),
            "CoverageSession" => Err(refusal::OPENCOVER.into()),
            _ => Err(refusal::unknown()),
        }
    }

    fn class(&mut self, tag: &BytesStart<'_>) -> Result<Open, String> {
        let [name] = attributes(tag, ["filename"])?;
        let name = name.filter(|name| !name.is_empty()).ok_or("a `class` has no `filename`")?;
        self.file = self.report.file(&name)?;
        Ok(Open::Class)
    }

    fn line(&mut self, parent: Open, tag: &BytesStart<'_>) -> Result<Open, String> {
        let [number, hits] = attributes(tag, ["number", "hits"])?;
        let number = number.as_deref().and_then(|number| number.parse().ok());
        let ran = hits.as_deref().and_then(has_run);
        let (number, ran): (u32, bool) = number.zip(ran).ok_or("a `line` has no `number` or no `hits`")?;
        if parent == Open::MethodLines {
            let (first, has_run) = self.method.unwrap_or((number, false));
            self.method = Some((first.min(number), has_run || ran));
        } else {
            self.report.has_statements(self.file);
            if ran {
                self.record.lines.add(number, number);
                self.report.relieve(self.file, None, &mut self.record)?;
            }
        }
        Ok(Open::Other)
    }

    fn end(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(Open::Method) => {
                // a method without lines does not say whether it ran
                if let Some((line, ran)) = self.method.take() {
                    self.report.counts_functions(self.file);
                    self.record.functions.add(line);
                    if ran {
                        self.record.ran.add(line);
                    }
                }
                self.report.relieve(self.file, None, &mut self.record)
            }
            Some(Open::Source) => {
                self.report.sources.iter_mut().rev().take(1).for_each(|source| *source = source.trim().to_owned());
                Ok(())
            }
            Some(Open::Class) => self.report.add(self.file, None, &mut self.record),
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), String> {
        match (self.open.last(), self.report.sources.last_mut()) {
            (Some(Open::Source), Some(source)) if source.len() + text.len() <= 4096 => source.push_str(text),
            (Some(Open::Source), _) => return Err("a `source` is longer than 4096 bytes".into()),
            (None, _) if !text.trim().is_empty() => return Err("text stands outside of the document".into()),
            _ => {}
        }
        Ok(())
    }
}

/// The values of the attributes with these names.
fn attributes<const N: usize>(tag: &BytesStart<'_>, names: [&str; N]) -> Result<[Option<String>; N], String> {
    let mut found = [const { None }; N];
    for (index, attribute) in tag.attributes().enumerate() {
        if index >= MAX_ATTRIBUTES {
            return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        let attribute = attribute.map_err(|error| format!("the file is no XML: {error}"))?;
        let key = attribute.key.local_name();
        if let Some(slot) = names.iter().position(|name| *name == key.as_ref()) {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            found[slot] = Some(value.map_err(|error| format!("the file is no XML: {error}"))?.into_owned());
        }
    }
    Ok(found)
}
