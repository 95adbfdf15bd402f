"""`python -m mextrain`, and the command `mextrain`."""

import signal
import sys


def main() -> int:
    """Run the command line as the only task of this process; returns the exit code."""
    try:
        from mextrain.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("mextrain: interrupted", file=sys.stderr)
        return 130
    finally:
        # Only cleanup is left, and an interrupt during it would only cause a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
