"""French questions said again as statements."""
