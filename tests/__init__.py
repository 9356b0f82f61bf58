"""The tests: they mirror C{simmail/}."""

from hypothesis import HealthCheck, settings

# A busy machine is slow now and then; tests that promise a time measure it themselves.
settings.register_profile("simmail", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("simmail")
