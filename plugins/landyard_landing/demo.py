"""The demo site that `serve --demo` loads: three linked pages."""

from importlib.resources import files

from landyard import Demo

_TITLE = ".landing-block-node-title"

DEMO = Demo(
    world=(files("landyard_landing") / "catalogue" / "demo.json").read_bytes(),
    user=1,
    scopes=("landing",),
    page="/demo/",
    method="landing.block.updatenodes",
    params={"lid": 10, "block": 101, "data": {_TITLE: "Hello from curl"}},
    then="page publish 10",
)
