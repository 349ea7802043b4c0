"""Checks of handlers' source: undeclared writes, blocking code, logged secrets."""

import ast
from collections.abc import Iterator, Mapping

from landyard_authoring.findings import Finding, failure, warning
from landyard_authoring.functions import Entry, dotted, entries, imported_names, reached
from landyard_authoring.source import Module, Source

_SESSION = {"add", "add_all", "bulk_insert_mappings", "bulk_save_objects", "delete", "merge"}
_WAITING = (
    *("time.sleep", "socket.create_connection", "smtplib.SMTP", "subprocess.", "os.system"),
    *("requests.", "httpx.", "urllib3.", "urllib.request.urlopen", "ftplib.FTP"),
)
_ENDLESS = ("requests.", "urllib.request.urlopen", "subprocess.run", "subprocess.check_output")
_CLOCK = {"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"}
_LOGS = {"critical", "debug", "error", "exception", "info", "warning"}
_SECRET = {"api_key", "params", "passwd", "password", "secret", "token"}


def handlers(source: Source) -> Iterator[Finding]:
    """Check each method and page, and the plugin's functions that they call."""
    reported: set[Finding] = set()
    for entry in entries(source):
        yield from _without_transaction(entry)
        for module, function in reached(entry, source):
            imports = imported_names(module)
            for node in ast.walk(function):
                for finding in _wrong(entry, module, node, imports):
                    if finding not in reported:  # two methods may reach the same line
                        reported.add(finding)
                        yield finding


def _wrong(
    entry: Entry, module: Module, node: ast.AST, imports: Mapping[str, str]
) -> Iterator[Finding]:
    place = module.place(node)
    if isinstance(node, ast.Global):
        yield warning(
            f"`global {', '.join(node.names)}`: each worker has its own; keep it in a table",
            place,
        )
    if not isinstance(node, ast.Call):
        return
    called = dotted(node.func, imports)
    reads = not entry.declares("writes", usual=entry.options is None)
    if reads and (_on_session(called) or _is_statement(called)):
        yield failure(f"{entry.name} writes to the database: declare it with writes=True", place)
    if not entry.declares("slow") and called.startswith(_WAITING):
        what = "do it in a job" if entry.options is None else "declare the method with slow=True"
        yield warning(f"{called} keeps others waiting in {entry.name}: {what}", place)
    if called.startswith(_ENDLESS) and not any(each.arg == "timeout" for each in node.keywords):
        yield warning(f"{called} may wait for ever: give it a timeout", place)
    if called in _CLOCK:
        yield warning(f"{called} is not the service's clock, which tests stop: call.now()", place)
    if _logs(called):
        yield from _secrets(node, place)


def _on_session(called: str) -> bool:
    owner, _, name = called.rpartition(".")
    return name in _SESSION and owner.rpartition(".")[2] == "session"


def _is_statement(called: str) -> bool:
    package, _, name = called.rpartition(".")
    return name in {"delete", "insert", "update"} and package.startswith(("sqlalchemy", "sqlmodel"))


def _logs(called: str) -> bool:
    owner, _, name = called.rpartition(".")
    return called == "print" or (name in _LOGS and "log" in owner.lower())


def _secrets(node: ast.Call, place: str) -> Iterator[Finding]:
    values = [*node.args, *(each.value for each in node.keywords)]
    for each in (part for value in values for part in _names_in(value)):
        name = each.id if isinstance(each, ast.Name) else each.attr
        if name in _SECRET:
            yield warning(
                f"`{ast.unparse(each)}` is logged, and may hold a secret: log ids in its place",
                place,
            )


def _names_in(value: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    """Yield the names and attributes in a logged value, also inside an f-string."""
    match value:
        case ast.Name() | ast.Attribute():
            yield value
        case ast.JoinedStr(values=parts):
            yield from (each for part in parts for each in _names_in(part))
        case ast.FormattedValue(value=inner):
            yield from _names_in(inner)


def _without_transaction(entry: Entry) -> Iterator[Finding]:
    if entry.declares("transaction", usual=True) or not entry.function.args.args:
        return
    call = entry.function.args.args[0].arg
    inner = {
        id(node)
        for each in ast.walk(entry.function)
        if isinstance(each, ast.FunctionDef | ast.Lambda) and each is not entry.function
        for node in ast.walk(each)
    }
    for node in ast.walk(entry.function):
        match node:
            case ast.Attribute(ast.Name(name), "session" | "connection") if name == call:
                if id(node) not in inner:
                    yield failure(
                        f"{entry.name} is declared with transaction=False, and has no {name}."
                        f"{node.attr}: open a transaction with `call.transaction(work)`",
                        entry.module.place(node),
                    )
