"""Journeys: the service as a process of its own, met through real sockets and standard clients."""
