"""simmail within frameworks that evaluate agents; each module is for one, and is imported where that is installed."""
