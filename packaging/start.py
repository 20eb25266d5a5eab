"""Make the program's own Python environment, keep it current, and open the program.

    python3 packaging/start.py [arguments of the program]
    python3 packaging/start.py test [--quick] [arguments of pytest]
    python3 packaging/start.py build [--without-models]

This file is kept readable for old Pythons, so that each of them can say what is missing.
"""

import sys

OLDEST, NEWEST = (3, 11), (3, 13)


def main() -> int:
    """Refuse a Python that the program does not know; hand over to the launcher on one that it does."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        this = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.stderr.write(
            f"Familiar needs Python 3.11, 3.12 or 3.13, and this is {this}: start it with one of them, as in "
            "'python3.12 packaging/start.py'.\n"
        )
        return 2
    from launcher import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
