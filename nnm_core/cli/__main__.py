"""``python -m nnm_core.cli``: the same as ``nnm``."""

import sys

from nnm_core.cli import main

sys.exit(main())
