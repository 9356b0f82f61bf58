"""What became of the mail: events folded into counts by day, and the report that is cut from them."""
