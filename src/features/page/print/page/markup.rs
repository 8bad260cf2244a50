//! A writer of HTML that keeps repository text from becoming markup. Markup is a `&'static str` of this program's source;
//! everything else is text or the value of an attribute, and is escaped when it is written.

use crate::text::base64::base64;
use crate::text::escape::{lines, terminal};

/// A page that is being written.
#[derive(Default)]
pub(super) struct Markup {
    out: String,
}

impl Markup {
    /// Markup, as it stands in the source.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// The same markup, repeated.
    pub(super) fn times(&mut self, count: usize, markup: &'static str) -> &mut Self {
        (0..count).for_each(|_| self.out.push_str(markup));
        self
    }

    /// Items of a list, one per text.
    pub(super) fn items(&mut self, texts: &[String]) -> &mut Self {
        for text in texts {
            self.raw("<li>").text(text).raw("</li>");
        }
        self
    }

    /// A text on one line. Characters that would move or hide something are shown as their codes.
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.escaped(&terminal(text.as_ref()));
        self
    }

    /// A text that keeps its line breaks.
    pub(super) fn lines(&mut self, text: &str) -> &mut Self {
        self.escaped(&lines(text));
        self
    }

    /// What `inside` writes, as a link if there is an address.
    pub(super) fn linked(&mut self, to: Option<String>, inside: impl FnOnce(&mut Self)) -> &mut Self {
        if let Some(to) = &to {
            self.raw("<a rel=\"noreferrer\"").attr("href", to).raw(">");
        }
        inside(self);
        self.raw(if to.is_some() { "</a>" } else { "" })
    }

    /// A time. People see it to the minute; the `datetime` attribute has all of it.
    pub(super) fn time(&mut self, ts: &str) -> &mut Self {
        let shown = ts.get(..16).unwrap_or(ts).replace('T', " ");
        self.raw("<time").attr("datetime", ts).raw(">").text(shown).raw("</time>")
    }

    pub(super) fn number(&mut self, number: impl Into<u128>) -> &mut Self {
        self.out.push_str(&number.into().to_string());
        self
    }

    /// An attribute of the open element: a blank, its name, its value in quotes.
    pub(super) fn attr(&mut self, name: &'static str, value: impl AsRef<[u8]>) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// An attribute with a data URL of `bytes` as its value.
    pub(super) fn data(&mut self, name: &'static str, mime: &'static str, bytes: &[u8]) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"data:").raw(mime).raw(";base64,");
        // the alphabet of Base64 needs no escapes
        self.out.push_str(&base64(bytes));
        self.raw("\"")
    }

    /// The finished markup.
    pub(super) fn finish(self) -> String {
        self.out
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            self.out.push_str(&rest[..at]);
            self.out.push_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            });
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_text_or_an_attribute() {
        let mut page = Markup::default();
        page.raw("<p").attr("title", "a\"'<\n\u{202e}>&amp;").raw(">").text("</p><script>\x1b\t]]>");
        page.raw("<pre>").lines("a\tb\r\n<b>\x08").raw("</pre><i").data("src", "image/png", b"foob").raw(">");
        assert_eq!(
            page.finish(),
            "<p title=\"a&quot;&#39;&lt;\\n\\u{202e}&gt;&amp;amp;\">&lt;/p&gt;&lt;script&gt;\\u{1b}\\t]]&gt;\
             <pre>a\tb\n&lt;b&gt;\\u{8}</pre><i src=\"data:image/png;base64,Zm9vYg==\">"
        );
    }
}
