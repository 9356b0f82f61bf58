"""Tests of universes whose mail is in a store of objects too."""
