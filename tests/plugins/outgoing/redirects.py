"""Addresses and redirects as strangers write them, and the result of each."""

from corpora import read_data

NAMES = read_data(__file__, "NAMES", dict[str, list[list[str]]])

# Refused both as the first address and after a redirect from http://public.example/.
REFUSED = read_data(__file__, "REFUSED", dict[str, list[str]])
REFUSED["host_unreadable"] += [f"http://{'a' * 64}.example/", f"http://{'a.' * 124}example/"]

# Refused only as the first address: in a redirect these are relative addresses.
UNREADABLE = read_data(__file__, "UNREADABLE", list[str])

# Only in a redirect from http://public.example/start; the bytes are the value of the header.
LOCATIONS = {
    "host_not_public": [b"//127.0.0.1/a", b"//private.example", b"//[::1]/"],
    "user_in_address": [b"//public.example@127.0.0.1/"],
    "port_not_allowed": [b"//public.example:22/"],
    "host_unreadable": [b"https:", b"https:///a", b"//127.1/"],
    "redirected_too_often": [b"", b"#", b"?", b"//", b"http://", b"/start"],
    "address_unreadable": [
        *[b"/\\127.0.0.1/", b"\\\\127.0.0.1\\", b"/a\tb", b"/a\x00b", b"/caf\xe9", b"//[::1/"],
    ],
    # A bare carriage return ends a line, and the text after it is no header.
    "answer_broken": [b"/a\rb", b"/a\r\nnonsense", b"/a\r\n: x"],
}

# Where a redirect from http://public.example/start leads to: Host header, path, and final address.
FOLLOWED = read_data(__file__, "FOLLOWED", dict[str, tuple[str, str, str]])

# Chains of redirects from http://public.example/start: the reason of the refusal, and the number of
# hosts asked before it.
CHAINS = read_data(__file__, "CHAINS", dict[str, tuple[dict[str, str], tuple[str, int]]])
