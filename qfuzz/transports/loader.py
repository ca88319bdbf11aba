"""Fills the registry: apart from base, so that boundaries and registry never import each other."""

from __future__ import annotations

from qfuzz.transports import (
    actions,
    ansible,
    base64_text,
    bashlex_split,
    ci_yaml,
    compose,
    crontab,
    direct,
    envsubst,
    eval_text,
    extraction,
    glue,
    go_template,
    heredoc,
    jinja,
    json_text,
    kubernetes,
    launchers,
    line_changes,
    make,
    nested,
    npm_run,
    privilege,
    python_templates,
    rust_shlex,
    script_file,
    sh,
    shell_quote,
    shells,
    shlex_words,
    ssh,
    stdin,
    systemd,
    taskfile,
    terminal,
    terraform,
    tmux,
    xml_text,
    yaml_text,
)
from qfuzz.transports.base import Transport
from qfuzz.transports.registry import REGISTRY, Registry

DEFAULT_TRANSPORTS = ("nested", "single", "json-naive", "quoted", "json", "script-file")
"""What `qfuzz diff` replays over unless it is told: three common paths, and three that should carry all."""

_MODULES = (
    direct,
    nested,
    script_file,
    base64_text,
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
    taskfile,
    envsubst,
    actions,
    make,
    crontab,
    systemd,
    npm_run,
    compose,
    kubernetes,
    terraform,
    ansible,
    shlex_words,
    shell_quote,
    bashlex_split,
    rust_shlex,
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
