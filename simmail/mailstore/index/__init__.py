"""The index: what is quicker to keep than to work out again."""
