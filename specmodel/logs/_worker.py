"""Reads one large file in a process of its own, so that a server stays free: bytes in, a result or an error out.

The parent writes the file to the standard input, hears the bytes read so far on standard error, a line each, and gets
one pickled `SpecStats` or `LogError` message on standard output.
"""

import gc
import pickle
import sys

from specmodel.logs import MAX_BYTES, LogError, parse_file

REPORT_EVERY = 2**21


def main(name: str) -> None:
    """Read standard input, write the result to standard output.

    >>> REPORT_EVERY
    2097152
    """
    told = 0

    def progress(read: int) -> None:
        nonlocal told
        if read - told >= REPORT_EVERY:
            told = read
            print(read, file=sys.stderr, flush=True)

    try:
        result: object = parse_file(sys.stdin.buffer, name, limit=MAX_BYTES, progress=progress)
    except LogError as error:
        result = error.message
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    gc.set_threshold(100_000)  # what is made of a line is no cycle, and to look for cycles takes a fifth of the time
    main(sys.argv[1] if len(sys.argv) > 1 else "")
