//! A page as a browser's parser reads it, so that a test does not rely on the writer to separate text from markup.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;

/// Elements without an end tag.
const VOID: [&str; 5] = ["meta", "input", "img", "br", "link"];

/// An element with its content.
#[derive(Clone, Debug, Default)]
pub struct Element {
    pub name: String,
    pub attrs: Vec<(String, String)>,
    /// The text of the element and of all elements inside.
    pub text: String,
    /// The indices of the enclosing elements, the outermost first.
    pub above: Vec<usize>,
}

impl Element {
    pub fn attr(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn has(&self, name: &str, value: &str) -> bool {
        self.attr(name) == Some(value)
    }
}

/// Every element in the order of its start tag.
#[derive(Debug, Default)]
pub struct Page {
    pub elements: Vec<Element>,
}

impl Page {
    /// Panics if an element does not end, or ends inside another one.
    #[track_caller]
    pub fn parse(text: &str) -> Self {
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from(text));
        let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
        let _ = tokenizer.feed(&queue);
        tokenizer.end();
        let reader = tokenizer.sink;
        assert!(reader.open.borrow().is_empty(), "elements that do not end: {:?}", reader.open);
        assert_eq!(*reader.wrong.borrow(), Vec::<String>::new());
        Self { elements: reader.elements.into_inner() }
    }

    pub fn all<'p>(&'p self, is: impl Fn(&Element) -> bool + 'p) -> impl Iterator<Item = &'p Element> {
        self.elements.iter().filter(move |element| is(element))
    }

    #[track_caller]
    pub fn one(&self, what: &str, is: impl Fn(&Element) -> bool) -> &Element {
        let found: Vec<_> = self.elements.iter().filter(|element| is(element)).collect();
        assert_eq!(found.len(), 1, "{what}");
        found[0]
    }

    #[track_caller]
    pub fn id(&self, id: &str) -> &Element {
        self.one(id, |element| element.has("id", id))
    }

    /// The elements inside `outer`.
    pub fn inside<'p>(&'p self, outer: &'p Element) -> impl Iterator<Item = &'p Element> {
        let at = self.elements.iter().position(|element| std::ptr::eq(element, outer)).expect("of this page");
        self.elements.iter().filter(move |element| element.above.contains(&at))
    }

    /// The element directly around `inner`.
    pub fn around(&self, inner: &Element) -> &Element {
        &self.elements[*inner.above.last().expect("inside of something")]
    }
}

#[derive(Default)]
struct Reader {
    elements: RefCell<Vec<Element>>,
    open: RefCell<Vec<usize>>,
    wrong: RefCell<Vec<String>>,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let (mut elements, mut open) = (self.elements.borrow_mut(), self.open.borrow_mut());
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let attrs = tag.attrs.iter().map(|attr| (attr.name.local.to_string(), attr.value.to_string()));
                let name = tag.name.to_string();
                elements.push(Element {
                    attrs: attrs.collect(),
                    above: open.clone(),
                    name: name.clone(),
                    text: String::new(),
                });
                if !VOID.contains(&&*name) {
                    open.push(elements.len() - 1);
                }
                match &*name {
                    "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" => return TokenSinkResult::RawData(RawKind::Rawtext),
                    "title" => return TokenSinkResult::RawData(RawKind::Rcdata),
                    _ => {}
                }
            }
            Token::TagToken(tag) => {
                let last = open.pop().map(|at| elements[at].name.clone());
                if last.as_deref() != Some(&*tag.name) {
                    self.wrong.borrow_mut().push(format!("line {line}: </{}> ends {last:?}", tag.name));
                }
            }
            Token::CharacterTokens(text) => open.iter().for_each(|at| elements[*at].text.push_str(&text)),
            Token::NullCharacterToken => self.wrong.borrow_mut().push(format!("line {line}: a NUL")),
            Token::CommentToken(text) => self.wrong.borrow_mut().push(format!("line {line}: a comment {text}")),
            Token::ParseError(what) => self.wrong.borrow_mut().push(format!("line {line}: {what}")),
            Token::DoctypeToken(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}
