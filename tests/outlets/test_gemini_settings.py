"""How long Gemini CLI keeps sessions is read from the person's settings."""

from pathlib import Path

import pytest

from twice.outlets.gemini_settings import kept_days


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        (None, 30),
        ("{}", 30),
        ('{"general": {"sessionRetention": {"maxAge": "120d"}}}', 120),
        ('{"general": {"sessionRetention": {"maxAge": "36h"}}}', 2),
        ('// mine\n{"general": {"sessionRetention": {"maxAge": "2w",}}}', 14),
        ('{"general": {"sessionRetention": {"maxAge": "1m", "enabled": true}}}', 30),
        ('{"general": {"sessionRetention": {"enabled": false}}}', None),
        ('{"general": {"sessionRetention": {"maxAge": "soon"}}}', 30),
        ('{"general": {"sessionRetention": {"maxAge": 7}}}', 30),
        ('{"general": {"sessionRetention": {"maxAge": "0d"}}}', 30),
        ('{"general": {"sessionRetention": [7]}}', 30),
        ('{"general": 7}', 30),
        ("[1]", 30),
        ("{", 30),
    ],
)
def test_the_settings_say_after_how_many_days_sessions_go(
    tmp_path: Path, settings: str | None, days: int | None
) -> None:
    path = tmp_path / "settings.json"
    if settings is not None:
        path.write_text(settings, encoding="utf-8")
    assert kept_days(path) == days
