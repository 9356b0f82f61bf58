"""Folders that are loaded: what sessions see and change."""
