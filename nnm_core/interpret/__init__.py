"""What a fitted model means: stereotypes in words, towers, hierarchies, and how sure of them one can be."""
