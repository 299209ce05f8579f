"""Beyond one machine: the same fit on a Dask cluster, and independent fits as its tasks.

This is the only package that knows of Dask, and Dask is imported when somebody asks for a cluster.

``connection``   reach a cluster, and say in plain words what went wrong with it
``parts``        a folder or bucket of parts: read each, number the items, divide the users into ranges
``spread``       from parts to partitions on the workers; ``minima``: without what has too few ratings
``partition``    what is computed on a partition: plain functions of arrays, the tasks of a fit
``pattern``      the rating pattern of users who are spread over partitions
``alternation``  which tasks make up a sweep; the loop around them is that of ``nnm_core.fitting``
``checkpoints``  copies of a running fit, from which it can go on
``fit_parts``    all of it together
``elsewhere``    whole fits as tasks of their own, with progress and cancel; ``folds``: those of a cross-validation
``tasks``        where tasks run: on a cluster, or at once in this process

A fit on a cluster goes like this. Workers read the parts and say which ids occur. From that follow the numbering of the
items and ranges of user ids with about as many ratings each: the partitions. A partition is a task that can be run
again, so nothing is lost with a worker. In a sweep every partition sums up what its users contribute to each item; the
sums are added up a tree, the items are solved, and then every partition solves its own users. The tree has the same
shape for any number of workers, and so the model has the same bits.
"""

from nnm_core.cluster.connection import ClusterError, connect
from nnm_core.cluster.elsewhere import while_wanted
from nnm_core.cluster.fit_parts import fit_parts

__all__ = ["ClusterError", "connect", "fit_parts", "while_wanted"]
