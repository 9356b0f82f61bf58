"""The tests: they mirror C{simmail/}."""

import os

from hypothesis import HealthCheck, settings

# A busy machine is slow now and then; tests that promise a time measure it themselves.
settings.register_profile("simmail", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("simmail")

# What is tested is on this machine: no proxy that the environment names knows the way to it.
for name in ("no_proxy", "NO_PROXY"):
    os.environ[name] = ",".join(filter(None, (os.environ.get(name), "127.0.0.1", "localhost")))
