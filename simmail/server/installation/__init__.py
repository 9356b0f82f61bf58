"""Several servers as one installation: what all of them know."""
