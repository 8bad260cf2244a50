"""A model that answers coding agents on loopback from a list of turns.

It speaks Anthropic Messages, OpenAI Responses and Gemini's generateContent, streamed or whole. It is the agents' proxy too
and lets nothing through: an address that an agent asks for besides this one is kept in `elsewhere`.

A turn is {"read": PATH}, {"edit": {"path", "old", "new"}}, {"run": COMMAND} or {"say": TEXT}. A request that offers tools gets
the turn after as many as it shows answered; past the last one the model says "Done.".
"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def patch(edit):
    return "\n".join([
        "*** Begin Patch", f"*** Update File: {edit['path']}", "@@", f"-{edit['old']}", f"+{edit['new']}", "*** End Patch"])


def script(tool, argument):
    """The JavaScript with which Codex's newer models call their tools, inside the one tool `exec`."""
    return f"text(await tools.{tool}({json.dumps(argument)}));"


# The arguments of a call: (kind of turn, name of a tool on offer) -> what the tool takes.
CALLS = {
    ("read", "Read"): lambda path: {"file_path": path},
    ("read", "read_file"): lambda path: {"file_path": path},
    ("read", "view"): lambda path: {"path": path},
    ("read", "exec_command"): lambda path: {"cmd": f"cat {path}"},
    ("read", "exec"): lambda path: script("exec_command", {"cmd": f"cat {path}"}),
    ("edit", "Edit"): lambda e: {"file_path": e["path"], "old_string": e["old"], "new_string": e["new"]},
    ("edit", "replace"): lambda e: {
        "file_path": e["path"], "old_string": e["old"], "new_string": e["new"], "instruction": "change one line"},
    ("edit", "edit"): lambda e: {"path": e["path"], "old_str": e["old"], "new_str": e["new"]},
    ("edit", "apply_patch"): patch,
    ("edit", "exec"): lambda e: script("apply_patch", patch(e)),
    ("run", "Bash"): lambda command: {"command": command, "description": "run it"},
    ("run", "bash"): lambda command: {"command": command, "description": "run it"},
    ("run", "run_shell_command"): lambda command: {"command": command},
    ("run", "exec_command"): lambda command: {"cmd": command},
    ("run", "exec"): lambda command: script("exec_command", {"cmd": command}),
}


def call(turn, tools):
    """The turn as (tool, arguments), or (None, text)."""
    (kind, what), = turn.items()
    if kind == "say":
        return None, what
    for tool in tools:
        if (kind, tool) in CALLS:
            return tool, CALLS[kind, tool](what)
    return None, f"No tool to {kind} is on offer, only {', '.join(tools)}."


class Anthropic:
    @staticmethod
    def read(body):
        return [tool["name"] for tool in body.get("tools", [])], sum(
            message["role"] == "assistant" for message in body["messages"])

    @staticmethod
    def write(body, number, tool, what):
        block = {"type": "text", "text": what} if tool is None else {
            "type": "tool_use", "id": f"toolu_{number:024}", "name": tool, "input": what}
        message = {
            "id": f"msg_{number:024}", "type": "message", "role": "assistant", "model": body["model"], "content": [block],
            "stop_reason": "end_turn" if tool is None else "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1}}
        opened, delta = (dict(block, text=""), {"type": "text_delta", "text": what}) if tool is None else (
            dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(what)})
        return message, [
            {"type": "message_start", "message": dict(message, content=[], stop_reason=None)},
            {"type": "content_block_start", "index": 0, "content_block": opened},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"}]


class Responses:
    @classmethod
    def names(cls, tools):
        for tool in tools:
            if tool["type"] == "namespace":
                yield from cls.names(tool["tools"])
            elif "name" in tool:
                yield tool["name"]

    @classmethod
    def read(cls, body):
        later = [tool for item in body["input"] if item.get("type") == "additional_tools" for tool in item["tools"]]
        return list(cls.names(body.get("tools", []) + later)), sum(
            item.get("type") in ("function_call", "custom_tool_call") or item.get("role") == "assistant"
            for item in body["input"])

    @staticmethod
    def write(body, number, tool, what):
        item = {"id": f"item_{number}", "status": "completed"}
        if tool is None:
            item |= {"type": "message", "role": "assistant",
                     "content": [{"type": "output_text", "text": what, "annotations": []}]}
        elif isinstance(what, str):
            item |= {"type": "custom_tool_call", "call_id": f"call_{number}", "name": tool, "input": what}
        else:
            item |= {"type": "function_call", "call_id": f"call_{number}", "name": tool, "arguments": json.dumps(what)}
        response = {
            "id": f"resp_{number}", "object": "response", "created_at": 0, "model": body["model"], "status": "completed",
            "output": [item], "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
        return response, [
            {"type": "response.created", "response": dict(response, status="in_progress", output=[])},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response}]


class Gemini:
    @staticmethod
    def read(body):
        return [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])], sum(
            content.get("role") == "model" for content in body["contents"])

    @staticmethod
    def write(_body, _number, tool, what):
        part = {"text": what} if tool is None else {"functionCall": {"name": tool, "args": what}}
        answer = {
            "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        return answer, [answer]


# How the path of a request ends -> who speaks, and whether the answer is a stream (None: the body says so).
SPEAKERS = {
    "/messages": (Anthropic, None),
    "/responses": (Responses, None),
    ":generateContent": (Gemini, False),
    ":streamGenerateContent": (Gemini, True),
}


class StandIn(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, turns):
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns, self.asked, self.elsewhere = turns, [], []
        self.address = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.address}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """An agent that ends in the middle of a request is no fault."""

    def answer(self, speaker, body):
        tools, number = speaker.read(body)
        if tools:
            self.asked.append(body)
        turn = self.turns[number] if tools and number < len(self.turns) else {"say": "Done."}
        # As long as a model takes at least: a file that changed less than half a second before a command is not known to be
        # older than it, so what was observed of the command names no content.
        time.sleep(1 if "run" in turn else 0)
        return speaker.write(body, number, *call(turn, tools))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def foreign(self, address):
        if address == self.server.address:
            return False
        self.server.elsewhere.append(address)
        self.send(403, "application/json", "{}")
        return True

    def do_CONNECT(self):
        if not self.foreign(self.path):
            self.send_response(200)
            self.end_headers()

    def do_GET(self):
        if not self.foreign(self.headers.get("host")):
            self.send(200, "application/json", '{"data": [], "models": []}')

    do_HEAD = do_GET

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.foreign(self.headers.get("host")):
            return
        path = self.path.split("?")[0]
        for end, (speaker, stream) in SPEAKERS.items():
            if path.endswith(end):
                body = json.loads(raw)
                whole, events = self.server.answer(speaker, body)
                return self.stream(events) if stream or body.get("stream") else self.send(
                    200, "application/json", json.dumps(whole))
        self.send(404, "application/json", json.dumps({"error": {"message": f"the stand-in has no {path}"}}))

    def stream(self, events):
        names = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
        self.send(200, "text/event-stream", "".join(
            f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(names, events)))

    def send(self, code, kind, text):
        data = text.encode()
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
