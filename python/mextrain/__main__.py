"""`python -m mextrain`, and the command `mextrain`."""

import signal
import sys


def main() -> int:
    """Run the command line as this process's only work; returns the exit code."""
    try:
        from mextrain.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("mextrain: interrupted", file=sys.stderr)
        return 130
    finally:
        # What is left is tidying up, of which an interrupt would only make a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
