"""What is known about items and people, from the tables that go with the ratings.

- ``items_and_people``: titles and tags of items, traits of people;
- ``linked_tags``: tags in tables of their own, a row for each item and tag;
- ``joined_people``: traits that stand in further columns of the ratings' table.
"""
