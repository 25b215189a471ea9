"""How much is tried: little at every change, more where there is time (HYPOTHESIS_PROFILE=long)."""

import os

from hypothesis import HealthCheck, settings

_COMMON = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("quick", deadline=None, suppress_health_check=_COMMON)
settings.register_profile("long", deadline=None, max_examples=1_000, suppress_health_check=_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
