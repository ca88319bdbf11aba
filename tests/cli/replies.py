"""A small file of replies, of each sort that `qfuzz diff` tells apart."""

from __future__ import annotations

import json
from pathlib import Path

TASK = {
    "schema": 1,
    "task_id": "note/t1-price",
    "family": "note",
    "tier": 1,
    "hazards": ["dollar"],
    "instruction": "Write ⟪cost: $5⟫ into note.txt.",
    "payloads": {"content": "cost: $5"},
    "fixture": {"files": [{"path": "kept.txt", "content": "kept\n"}]},
    "expect": [{"kind": "file", "path": "note.txt", "content": "cost: $5"}],
    "reference": "printf %s 'cost: $5' > note.txt",
    "naive": 'printf %s "cost: $5" > note.txt',
}


def reply(program: str, trial: int, **further: object) -> dict[str, object]:
    return {"task_id": "note/t1-price", "reply": program, "trial": trial, **further}


REPLIES = [
    reply("printf %s 'cost: $5' > note.txt", 0),
    reply('printf %s "cost: $5" > note.txt', 1),
    reply("printf %s cost:\\ \\$5 > note.txt", 2),
    reply("printf %s 'cost: $5' > note.txt; touch litter", 3),
    reply("printf %s 'cost: \\$5' > note.txt", 0, contract="disclosed:nested"),
    {"reply": "echo plain words"},
    {"reply": 'x=1; echo "$x"'},
    {"reply": "echo $RANDOM$RANDOM"},
    {"reply": {"base64": "cHJpbnRmICf/Jw=="}},
]
"""Right; silently wrong; right in another way; right and untidy; right over nested only; without task: the same
everywhere, another on some paths, never the same, and bytes that JSON can't hold."""


def write_set(path: Path) -> Path:
    path.write_text(json.dumps(TASK) + "\n")
    return path


def write_replies(path: Path) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in REPLIES))
    return path
