"""The journal: what was accepted is durable at once, and filed after."""
