//! A forge on loopback that speaks the documented parts of two APIs, as far as a comment needs them, and keeps every request:
//! GraphQL of GitHub (pull request, comments by pages, `addComment`, `updateIssueComment`) and REST v4 of GitLab (user, merge
//! request, notes by pages, uploads).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// The identity of the token that tests use.
pub const ME: &str = "me";
/// So many comments are on a page.
const PAGE: usize = 2;

pub struct Comment {
    pub author: &'static str,
    pub body: String,
}

#[derive(Default)]
pub struct State {
    /// The head of the one pull request.
    pub head: String,
    pub comments: Vec<Comment>,
    /// Whether the token may only read, as in a run for a fork.
    pub is_read_only: bool,
    /// Every request: what was asked for, and the uploaded bytes or the sent text.
    pub requests: Vec<String>,
}

pub struct Forge {
    pub url: String,
    state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    headers: String,
    body: Vec<u8>,
}

impl Forge {
    pub fn start(head: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State { head: head.to_owned(), ..State::default() }));
        let shared = Arc::clone(&state);
        // the thread ends with the test's process
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &mut shared.lock().expect("no test failed in between"));
            }
        });
        Self { url, state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the forge answers")
    }

    pub fn says(&self, author: &'static str, body: &str) {
        self.state().comments.push(Comment { author, body: body.to_owned() });
    }

    pub fn bodies(&self) -> Vec<String> {
        self.state().comments.iter().map(|comment| comment.body.clone()).collect()
    }

    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") && lines.read_line(&mut headers).ok()? > 0 {}
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body })
}

fn answer(mut stream: TcpStream, state: &mut State) {
    let Some(request) = read(&stream) else { return };
    let (status, header, body) = match request.path.as_str() {
        "/graphql" => (200, String::new(), graphql(&request, state)),
        path => gitlab(&request, path.strip_prefix("/api/v4").unwrap_or(path), state),
    };
    let body = body.to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Type: application/json\r\n{header}");
    let _ = write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}");
}

fn graphql(request: &Request, state: &mut State) -> Value {
    assert!(request.headers.contains("authorization: token secret\r\n"), "{}", request.headers);
    let asked: Value = serde_json::from_slice(&request.body).expect("JSON");
    let (query, variables) = (asked["query"].as_str().expect("a query"), &asked["variables"]);
    let name = ["addComment", "updateIssueComment", "pullRequest"]
        .into_iter()
        .find(|name| query.contains(name))
        .expect("known");
    let mut logged = variables.clone();
    let body = logged.as_object_mut().and_then(|all| all.remove("body"));
    state.requests.push(format!("{name} {logged}"));
    let refused =
        json!({"data": null, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]});
    let sent = || body.as_ref().and_then(Value::as_str).expect("a body").to_owned();
    match name {
        "pullRequest" => {
            assert_eq!(
                [&variables["owner"], &variables["name"], &variables["number"]],
                [&json!("o"), &json!("r"), &json!(12)]
            );
            let first = variables["endCursor"].as_str().map_or(0, |cursor| cursor.parse().expect("a cursor"));
            let end = (first + PAGE).min(state.comments.len());
            let node = |at: usize| json!({"id": format!("IC_{at}"), "body": state.comments[at].body, "viewerDidAuthor": state.comments[at].author == ME});
            let page = json!({"hasNextPage": end < state.comments.len(), "endCursor": end.to_string()});
            let nodes: Vec<Value> = (first..end).map(node).collect();
            let pull = json!({"id": "PR_1", "headRefOid": state.head, "comments": {"nodes": nodes, "pageInfo": page}});
            json!({"data": {"repository": {"pullRequest": pull}}})
        }
        _ if state.is_read_only => refused,
        "addComment" => {
            assert_eq!(variables["id"], "PR_1");
            state.comments.push(Comment { author: ME, body: sent() });
            json!({"data": {"addComment": {"clientMutationId": null}}})
        }
        _ => {
            let at: usize =
                variables["id"].as_str().and_then(|id| id.strip_prefix("IC_")?.parse().ok()).expect("a comment");
            assert_eq!(state.comments[at].author, ME);
            state.comments[at].body = sent();
            json!({"data": {"updateIssueComment": {"clientMutationId": null}}})
        }
    }
}

/// The status, more headers and the body.
fn gitlab(request: &Request, path: &str, state: &mut State) -> (u16, String, Value) {
    assert!(request.headers.contains("private-token: secret\r\n"), "{}", request.headers);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    state.requests.push(format!("{} {path} {query}", request.method).trim_end().to_owned());
    let author = |name: &str| json!({"id": if name == ME { 7 } else { 8 }});
    let sent = || -> String {
        let sent: Value = serde_json::from_slice(&request.body).expect("JSON");
        sent["body"].as_str().expect("a body").to_owned()
    };
    const REQUEST: &str = "/projects/1/merge_requests/12";
    let path = path.to_owned();
    let note = path.strip_prefix(&format!("{REQUEST}/notes/")).and_then(|id| id.parse::<usize>().ok());
    match (request.method.as_str(), path.as_str(), note) {
        ("GET", "/user", _) => (200, String::new(), author(ME)),
        ("GET", REQUEST, _) => (200, String::new(), json!({"sha": state.head})),
        ("POST", "/projects/1/uploads", _) => {
            let text = String::from_utf8_lossy(&request.body).into_owned();
            let name =
                text.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a file").to_owned();
            let url = format!("/uploads/0123456789abcdef/{name}");
            (201, String::new(), json!({"alt": name, "url": url, "markdown": format!("![{name}]({url})")}))
        }
        ("GET", "/projects/1/merge_requests/12/notes", _) => {
            assert!(query.starts_with("sort=asc&order_by=created_at&per_page=100&page="), "{query}");
            let page: usize = query.rsplit('=').next().and_then(|page| page.parse().ok()).expect("a page");
            let all = state
                .comments
                .iter()
                .enumerate()
                .map(|(at, one)| json!({"id": at, "body": one.body, "author": author(one.author)}));
            let notes: Vec<Value> = all.skip((page - 1) * PAGE).take(PAGE).collect();
            let next = if page * PAGE < state.comments.len() { (page + 1).to_string() } else { String::new() };
            (200, format!("X-Next-Page: {next}\r\n"), json!(notes))
        }
        ("POST", "/projects/1/merge_requests/12/notes", _) if !state.is_read_only => {
            state.comments.push(Comment { author: ME, body: sent() });
            (201, String::new(), json!({}))
        }
        ("PUT", _, Some(at)) if !state.is_read_only && state.comments[at].author == ME => {
            state.comments[at].body = sent();
            (200, String::new(), json!({}))
        }
        _ => (403, String::new(), json!({"message": "403 Forbidden"})),
    }
}
