"""Serving: the supervisor, a worker process, its threads, deadlines and periodic jobs."""
