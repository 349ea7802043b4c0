"""The texts about a method in OpenAPI, OpenRPC and the reference, and the component names."""

import re
from collections.abc import Iterable, Iterator
from http.client import responses
from typing import Any

from msgspec import structs, to_builtins

from landyard import Download, Irreversible, Method, NoContent


def by_each_name(methods: Iterable[Method]) -> Iterator[Method]:
    """Go through methods, and through each once more for each of its aliases, sorted by name."""
    for method in methods:
        yield method
        for name in sorted(method.named.keys() - {method.name}, key=str.lower):
            doc = f"The same as `{method.name}`: {method.doc}"
            yield structs.replace(method.named[name], name=name, aliases=(), doc=doc)


def summary(method: Method) -> str:
    return method.doc.partition("\n")[0]


def text(method: Method) -> str:
    """Return all that is published of a method: its deprecation, what it does, what it needs."""
    return plain("\n\n".join(filter(None, (deprecation(method), method.doc, needs(method)))))


def plain(markdown: str) -> str:
    """Escape `<` and `&` outside of code: those who show Markdown would take them for HTML."""
    escaped = {"&": "&amp;", "<": "&lt;"}
    return re.sub("`[^`]*`|[&<]", lambda found: escaped.get(found[0], found[0]), markdown)


def needs(method: Method) -> str:
    """Tell in one line which plugin brings a method, what a caller needs, and its limits."""
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
    parts += [f"joined by `{each['plugin']}`: `{each['when']}`" for each in joins(method)]
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
    """Tell whether a dry run of a method is answered: nothing of it is out of a transaction."""
    alone = method.slow or not method.transaction
    return not method.writes or not alone or "dry_run" in method.options


def options(method: Method) -> list[str]:
    """List the options that a method takes beside its parameters, as all do that write."""
    tried = ["dry_run"] if can_be_tried(method) else []
    return ["idempotency_key", *tried] if method.writes else []


def answers(method: Method) -> str:
    """Name the media type of what a method answers; `204` for nothing, "" for JSON."""
    if method.result is NoContent:
        return "204"
    return method.media_type if method.result is Download else ""


def deprecation(method: Method) -> str:
    """Tell since when a method is deprecated, until when it stays, and what to call instead."""
    notice = method.deprecated
    if notice is None:
        return ""
    instead = f" Call `{notice.instead}` instead." if notice.instead else ""
    return f"Deprecated since {notice.since}; it stays until {notice.until}.{instead}"


def joins(method: Method) -> list[dict[str, str]]:
    """Tell which plugins join in a method, in their order, and when: `before crm.*`."""
    found = (*method.before, *method.after, *method.failed)
    return [{"plugin": each.plugin, "when": each.name} for each in found]


def about(method: Method) -> dict[str, Any]:
    """Write what OpenAPI and OpenRPC say of a method by the same words."""
    return {
        "summary": summary(method),
        "description": text(method),
        **({"deprecated": True} if method.deprecated else {}),
        "x-landyard": _facts(method),
    }


def _facts(method: Method) -> dict[str, Any]:
    """Collect what no format has a word for."""
    named = ("plugin", "version", "scope", "right", "writes", "seconds")
    found = {"method": method.name} | {name: getattr(method, name) for name in named}
    found["bodyBytes"] = method.bounds.size
    if method.aliases:
        found["aliases"] = [each.name for each in method.aliases]
    if joined := joins(method):
        found["joins"] = joined
    if content := answers(method):
        found["answers"] = content
    if not can_be_tried(method):
        found["dryRun"] = False
    if method.writes and Irreversible in method.notes:
        found["undo"] = False
    if method.deprecated is not None:
        found["deprecated"] = to_builtins(method.deprecated)
    return found


def phrase(status: int) -> str:
    """Name an HTTP status in words, e.g. `Bad Request`."""
    return responses.get(status, f"Status {status}")


def component(name: str) -> str:
    """Name what belongs to a method as types are named: `LandingBlockGetlist`."""
    parts = re.findall("[A-Za-z0-9]+", name)
    return "".join(part[0].upper() + part[1:] for part in parts)


def group(name: str) -> str:
    """Name the group that a method belongs to by its name: all but the last part of it."""
    return name.rpartition(".")[0] or name
