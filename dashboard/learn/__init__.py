"""The page Learn: one module a scene, each with a function ``show()``, and the two components that they share.

``page``        the choice of a scene, presenter mode, and the scene itself
``stage``       the components: a point to drag, a fit to play; ``*.js`` and ``learn.css`` are what browsers run
``parts``       what scenes have in common: a question before the answer, and the invented cinema
``mixture`` …   the scenes
"""
