"""A model behind an OpenAI-compatible server on loopback, which knows the references of the public tasks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qfuzz.gen.public import load_public

Refuses = Callable[[int], tuple[int, dict[str, str]] | None]
"""Asked with the number of the request (from 0), answers with a status and headers to refuse it, or None."""


def right_reply(request: dict[str, Any]) -> str:
    """The reference program of the task that the last message describes."""
    instruction = request["messages"][-1]["content"]
    (task,) = (task for task in load_public() if task.instruction == instruction)
    assert task.reference is not None
    return task.reference.decode()


class LoopbackModel:
    """Serves while it is entered. `requests` are the bodies that came, refused ones included, in order."""

    def __init__(
        self,
        reply: Callable[[dict[str, Any]], str] = right_reply,
        refuses: Refuses = lambda _: None,
        before: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self._reply = reply
        self._refuses = refuses
        self._before = before
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, headers, answer = model.answer(self.path, body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What makes `openai-api/local/NAME` mean this server."""
        return {"LOCAL_API_KEY": "none", "LOCAL_BASE_URL": self.url}

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        assert path == "/v1/chat/completions", path
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
        self._before(number)
        refused = self._refuses(number)
        if refused is not None:
            status, headers = refused
            return status, headers, {"error": {"message": "not now", "type": "test", "code": str(status)}}
        reply = self._reply(body)
        message: dict[str, Any] = {"role": "assistant", "content": reply}
        finish = "stop"
        if body.get("tools"):
            call = {"id": f"call_{number}", "type": "function"}
            call["function"] = {"name": "bash", "arguments": json.dumps({"command": reply})}
            message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        return (
            200,
            {},
            {
                "id": f"chatcmpl-{number}",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": {"prompt_tokens": 100 + number, "completion_tokens": 7, "total_tokens": 107 + number},
            },
        )

    def __enter__(self) -> LoopbackModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
