"""Hostile texts that try to break out of style sheets or attributes, or to load from another
server.
"""

EVIL = "https://evil.example/"
HOSTILE = [
    f"{EVIL}a.png",
    "//evil.example/a.png",
    "/\\evil.example/a.png",
    "/\t/evil.example/a.png",
    "javascript:alert(1)",
    '"><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    f"</style><script>alert(1)</script><link rel=stylesheet href={EVIL}a.css>",
    f'/files/x") ; }} @import "{EVIL}a.css"; body {{ background: url("{EVIL}a.png',
    f"#000000; }} body {{ background: url({EVIL}b.png) }} :root {{",
    f"url({EVIL}c.png)",
    f"1rem; background-image: url({EVIL}d.png)",
    "expression(alert(1))",
    f"/files/\\22 \\29 ; background: url({EVIL}e.png)",
    "var(--hot)",
    "/a.svg#' onload='alert(1)' x='",
    "\u202e\n\r\x0c",
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
]
