"""Spanish questions said again as statements."""
