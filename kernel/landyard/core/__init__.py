"""The core: turns a request into a reply. It imports no SQL, HTTP or process code."""
