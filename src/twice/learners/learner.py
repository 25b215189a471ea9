"""The learner of corrections and preferences, as the rest of the house knows it."""

from dataclasses import dataclass

from twice.core.ideas import Fingerprint, Idea, Sighting, Signal
from twice.core.wording import Wording


@dataclass(frozen=True, slots=True)
class Corrections:
    """Hears what people correct and prefer. The word tables are loaded at the first turn."""

    def notice(
        self, text: str, *, previous: str = "", interrupted: bool = False
    ) -> tuple[Signal, ...]:
        """Return the signals of one human turn."""
        from twice.learners.corrections import notice

        return notice(text, previous=previous, interrupted=interrupted)

    def fingerprint(self, text: str) -> Fingerprint | None:
        """Return what a text wants and does not want, or None where it says neither."""
        from twice.learners.corrections.languages import language_of
        from twice.learners.corrections.signs import fingerprint

        found = fingerprint(text, language_of(text))
        return None if found.empty else found

    def gather(self, sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
        """Return the distinct ideas of one project's sightings, strongest first."""
        from twice.learners.corrections.gathering import gather

        return gather(sightings)

    def distill(self, idea: Idea) -> Wording:
        """Write the lesson that an idea teaches, in the clearest of its own words."""
        from twice.learners.distill import distill

        return distill(idea)
