"""Fills the registry: apart from base, so that boundaries and registry never import each other."""

from __future__ import annotations

from qfuzz.transports import (
    actions,
    ci_yaml,
    direct,
    envsubst,
    eval_text,
    extraction,
    glue,
    go_template,
    heredoc,
    jinja,
    json_text,
    launchers,
    line_changes,
    nested,
    privilege,
    python_templates,
    script_file,
    sh,
    shells,
    ssh,
    stdin,
    terminal,
    tmux,
    xml_text,
    yaml_text,
)
from qfuzz.transports.base import REGISTRY, Registry, Transport

DEFAULT_TRANSPORTS = ("nested", "single", "json-naive", "quoted", "json", "script-file")
"""What `qfuzz diff` replays over unless it is told: three common paths, and the three that should carry all."""

_MODULES = (
    direct,
    nested,
    script_file,
    stdin,
    sh,
    json_text,
    shells,
    eval_text,
    heredoc,
    launchers,
    glue,
    privilege,
    ssh,
    terminal,
    tmux,
    yaml_text,
    ci_yaml,
    xml_text,
    line_changes,
    extraction,
    python_templates,
    jinja,
    go_template,
    envsubst,
    actions,
)
"""In the order of `qfuzz transports`."""


def load() -> Registry:
    """The registry with every boundary of this package in it."""
    if not REGISTRY.boundaries:
        for module in _MODULES:
            for boundary in module.BOUNDARIES:
                REGISTRY.add(boundary)
        REGISTRY.add_alias("double-nested", ("nested", "nested"))
    return REGISTRY


def resolve(text: str) -> Transport:
    """The transport of a name or stack; raises UsageError."""
    return load().resolve(text)
