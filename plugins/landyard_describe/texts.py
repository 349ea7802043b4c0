"""Writes the texts about a method for OpenAPI, OpenRPC and the reference, and component names."""

import re
from collections.abc import Iterable, Iterator
from http.client import responses
from typing import Any

from msgspec import structs, to_builtins

from landyard import Download, Irreversible, Method, NoContent


def by_each_name(methods: Iterable[Method]) -> Iterator[Method]:
    """Yield methods, each followed by its aliases as methods, sorted by name."""
    for method in methods:
        yield method
        for name in sorted(method.named.keys() - {method.name}, key=str.lower):
            doc = f"The same as `{method.name}`: {method.doc}"
            yield structs.replace(method.named[name], name=name, aliases=(), doc=doc)


def summary(method: Method) -> str:
    return method.doc.partition("\n")[0]


def text(method: Method) -> str:
    """Return the published text of a method: deprecation, documentation and requirements."""
    return plain("\n\n".join(filter(None, (deprecation(method), method.doc, needs(method)))))


def plain(markdown: str) -> str:
    """Escape `<` and `&` outside of code, because Markdown viewers take them for HTML."""
    escaped = {"&": "&amp;", "<": "&lt;"}
    return re.sub("`[^`]*`|[&<]", lambda found: escaped.get(found[0], found[0]), markdown)


def needs(method: Method) -> str:
    """Return a line with a method's plugin, its requirements for callers, and its limits."""
    scope = f"scope `{method.scope}`" if method.scope else "general: open to every credential"
    parts = [f"Plugin `{method.plugin}`", scope]
    if method.right:
        parts.append(f"right: {method.right}")
    parts.append("writes" if method.writes else "reads")
    if method.writes:
        parts.append(f"options: {', '.join(f'`{each}`' for each in options(method))}")
    parts += [] if can_be_tried(method) else ["no `dry_run`"]
    parts += ["no `undo`"] if method.writes and Irreversible in method.notes else []
    for alias in method.aliases:
        notice = alias.deprecated
        until = f" (deprecated since {notice.since}; until {notice.until})" if notice else ""
        parts.append(f"also called `{alias.name}`{until}")
    if content := answers(method):
        parts.append(content if content == "204" else f"answers `{content}`")
    if method.seconds is not None:
        parts.append(f"given up after {method.seconds:g} s")
    size = method.bounds.size
    if size is not None:
        mib, rest = divmod(size, 1024 * 1024)
        parts.append(f"bodies of up to {size} bytes" if rest else f"bodies of up to {mib} MiB")
    return "; ".join(parts) + "."


def can_be_tried(method: Method) -> bool:
    """Tell whether a method supports dry runs: all its work is in one transaction."""
    alone = method.slow or not method.transaction
    return not method.writes or not alone or "dry_run" in method.options


def options(method: Method) -> list[str]:
    """Return the options that a method accepts beside its parameters; none if it only reads."""
    tried = ["dry_run"] if can_be_tried(method) else []
    return ["idempotency_key", *tried] if method.writes else []


def answers(method: Method) -> str:
    """Return the media type of a method's answer; `204` for an empty one, "" for JSON."""
    if method.result is NoContent:
        return "204"
    return method.media_type if method.result is Download else ""


def deprecation(method: Method) -> str:
    """Return a sentence on a method's deprecation and replacement; "" if it is not deprecated."""
    notice = method.deprecated
    if notice is None:
        return ""
    instead = f" Call `{notice.instead}` instead." if notice.instead else ""
    return f"Deprecated since {notice.since}; it stays until {notice.until}.{instead}"


def about(method: Method) -> dict[str, Any]:
    """Return the members of a method that OpenAPI and OpenRPC have in common."""
    return {
        "summary": summary(method),
        "description": text(method),
        **({"deprecated": True} if method.deprecated else {}),
        "x-landyard": _facts(method),
    }


def _facts(method: Method) -> dict[str, Any]:
    """Return the facts about a method that the formats have no member for."""
    attributes = ("plugin", "version", "scope", "right", "writes", "seconds")
    facts = {"method": method.name} | {name: getattr(method, name) for name in attributes}
    facts["bodyBytes"] = method.bounds.size
    if method.aliases:
        facts["aliases"] = [each.name for each in method.aliases]
    if content := answers(method):
        facts["answers"] = content
    if not can_be_tried(method):
        facts["dryRun"] = False
    if method.writes and Irreversible in method.notes:
        facts["undo"] = False
    if method.deprecated is not None:
        facts["deprecated"] = to_builtins(method.deprecated)
    return facts


def phrase(status: int) -> str:
    """Return the phrase of an HTTP status, e.g. `Bad Request`."""
    return responses.get(status, f"Status {status}")


def component(name: str) -> str:
    """Return a method's name in the form of a type name: `LandingBlockGetlist`."""
    parts = re.findall("[A-Za-z0-9]+", name)
    return "".join(part[0].upper() + part[1:] for part in parts)


def group(name: str) -> str:
    """Return the group of a method: its name without the last part."""
    return name.rpartition(".")[0] or name
