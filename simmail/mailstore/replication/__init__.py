"""Universes whose mail survives the machine: what was done to it is in a store of objects before it is answered."""
