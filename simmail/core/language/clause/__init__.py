"""Sentences turned round: what was asked, said again by who was asked."""
