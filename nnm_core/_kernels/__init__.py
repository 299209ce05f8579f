"""Compiled inner loops: the only package that uses numba.

``grouping``    ratings grouped by user or by item, and the counting sort that groups them
``half_step``   one constrained least-squares problem per row, the inner loop of Algorithm 1
``partial_sums`` the same in two parts, for rows whose ratings lie in several places
``stars``       the same where every level of the scale is an answer of its own
``relaxed``     one normal draw per row, the inner loop of the sampler
``solvers``     the small quadratic problem over the simplex or the box that all of these end in, one at a time
``lanes``       the same for several rows at once, one in each lane of the processor's vectors
``gram``        sums of outer products in vector instructions; ``prefetch`` fetches memory ahead of them
``vectors``     vectors as values in compiled code, for the two above
``products``    products of tall matrices, summed in a fixed order, and the projection onto the simplex
``compiling``   compiles the largest kernel in a process of its own on the first start on a machine
``cache_folder`` finds a place for compiled code where neither the package nor the user has one

The rule for a kernel: ``njit(nogil=True, cache=True)``, never ``parallel``. A kernel works on a range of rows and
starts no threads, so an ordinary thread pool can run it on several ranges at once. The result of a row depends on
that row alone: the same bits come out however the rows are divided among threads.
"""

from nnm_core._kernels.cache_folder import ensure_writable

ensure_writable()  # before any kernel is imported
