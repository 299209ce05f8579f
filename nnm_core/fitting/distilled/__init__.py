"""The distilled method behind the accurate preset.

``features`` turns who rated what, traits, tags and decades into features; ``sampler`` draws from a relaxed model whose
factors may be negative and averages the draws; ``projection`` finds the nearest normalized nonnegative model.
"""
