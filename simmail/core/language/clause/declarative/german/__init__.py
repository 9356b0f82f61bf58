"""German questions said again as statements."""
