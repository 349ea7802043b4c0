"""The demo site that `serve --demo` loads: three linked pages."""

from importlib.resources import files

from landyard import Demo

DEMO = Demo(
    world=(files("landyard_landing") / "catalogue" / "demo.json").read_bytes(),
    user=1,
    scopes=("landing",),
    text="""
  Page     {base}/demo/
  Webhook  {webhook}

  Edit the page's draft, and show the change to visitors:

    curl -s {webhook}landing.block.updatenodes.json \\
      -H 'Content-Type: application/json' \\
      -d '{"lid":10,"block":101,"data":{".landing-block-node-title":"Hello from curl"}}'

    landyard page publish 10
""",
)
