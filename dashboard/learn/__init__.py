"""The page Learn: one module a scene, each with a function ``show()``.

``page``          the choice of a scene, presenter mode, and the scene itself
``parts``         what scenes have in common: a question before the answer, and the invented cinema
``recordings``    recorded fits, for the scene of Algorithm 1
``ending``        what the last scene ends with: a summary, six questions, and the way to one's own data
``stage``         three components that run in the browser: a point to drag (``point.js``), a fit to play
                  (``player.js``, ``panels.js``) and ε to drag (``slack.js``)
``mixture``, ``question``, ``algorithm``, ``game``, ``slack``, ``number``, ``missing``: the scenes, in their order
"""
