"""The demo site that `serve --demo` loads: three linked pages."""

from importlib.resources import files

from landyard import Demo

METHOD = "landing.block.updatenodes"
DATA = '{"lid":10,"block":101,"data":{".landing-block-node-title":"Hello from curl"}}'
DEMO = Demo(
    world=(files("landyard_landing") / "catalogue" / "demo.json").read_bytes(),
    user=1,
    scopes=("landing",),
    text=f"""
  Page     {{base}}/demo/
  Webhook  {{webhook}}

  Edit the page's draft, and show the change to visitors:

    curl -s {{webhook}}{METHOD}.json \\
      -H 'Content-Type: application/json' \\
      -d '{DATA}'

    landyard page publish 10
""",
)
