"""The public page as a file, sent by Starlette's `StaticFiles`."""

import os

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

app = Starlette(routes=[Mount("/", StaticFiles(directory=os.environ["BENCH_FOLDER"], html=True))])
