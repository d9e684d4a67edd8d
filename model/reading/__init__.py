"""Reading a timeout configuration: a file, presets, a task as a server returned it, and options.

Later layers win: defaults, the file, the client's preset, the server's preset, the task, the options.
"""

from .errors import ConfigError, Where
from .layers import check_laid_over, read, shared

__all__ = ["ConfigError", "Where", "check_laid_over", "read", "shared"]
