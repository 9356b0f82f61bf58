"""How connections come in: ports, who is let in, and on whose behalf."""
