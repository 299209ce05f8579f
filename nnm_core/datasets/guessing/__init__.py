"""Which column means what, where nobody has said it.

- ``profiles``: what the name of a column and a sample of its cells say about what it holds;
- ``roles``: who is the person, the item and the rating of a table;
- ``sides``: what else is known about items and people;
- ``wide``: the same for tables with a column per item, such as surveys;
- ``checks``: whether the whole file agrees with that;
- ``hints``: what a person has said beforehand.
"""
