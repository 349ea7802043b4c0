"""The supervisor: starts a worker process again where one has died, and soon."""

from uvicorn.supervisors import Multiprocess


class Supervisor(Multiprocess):
    """uvicorn's, which sees at once that a worker has died while it was asked whether it lives.

    uvicorn keeps the worker's end of the pipe open in this process as well. So no end comes where
    the worker is gone, and every other that dies meanwhile waits for the same five seconds.
    """

    def init_processes(self) -> None:
        """Start the workers."""
        super().init_processes()
        self._let_go()

    def keep_subprocess_alive(self) -> None:
        """Start those again that have died or hang."""
        super().keep_subprocess_alive()
        self._let_go()

    def _let_go(self) -> None:
        for process in self.processes:
            process.child_conn.close()
