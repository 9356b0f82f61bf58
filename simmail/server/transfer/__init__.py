"""Universes carried from one server to another."""
