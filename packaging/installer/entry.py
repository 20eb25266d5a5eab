"""Entry of the packed program."""

import multiprocessing
import sys

from familiar_app.__main__ import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
