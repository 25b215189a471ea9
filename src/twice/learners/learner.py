"""The learner of corrections and preferences, as the rest of the house knows it."""

from dataclasses import dataclass, replace

from twice.core.ideas import (
    Explanation,
    Fingerprint,
    Idea,
    Relation,
    Sighting,
    Signal,
    relation,
)
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

    def explain(self, text: str, *, previous: str = "", language: str = "") -> Explanation:
        """Return what is heard in one human turn and why, and what was too weak."""
        from twice.learners.corrections import explain
        from twice.learners.matters import placed

        def told(signals: tuple[Signal, ...]) -> tuple[Signal, ...]:
            return tuple(
                replace(signal, fingerprint=placed(signal.fingerprint, signal.language))
                for signal in signals
            )

        found = explain(text, previous=previous, language=language)
        return replace(found, signals=told(found.signals), doubts=told(found.doubts))

    def reasons(self) -> dict[str, str]:
        """Return what each name among the reasons of a signal stands for."""
        from twice.learners.corrections.rules import RULES
        from twice.learners.corrections.weighing import WEIGHED

        rules = {rule.name: (rule.weigh.__doc__ or "").splitlines()[0] for rule in RULES}
        return {**rules, WEIGHED: "No rule is sure, but as a whole it is like what people wish."}

    def fingerprint(self, text: str, *, language: str = "") -> Fingerprint | None:
        """Return what a text wants and does not want, or None where it says neither."""
        from twice.learners.corrections.languages import language_of
        from twice.learners.corrections.signs import fingerprint
        from twice.learners.matters import placed

        language = language or language_of(text)
        found = fingerprint(text, language)
        return None if found.empty else placed(found, language)

    def relation(self, one: str, other: str, *, languages: tuple[str, str] = ("", "")) -> Relation:
        """Return how two wishes stand to each other."""
        first, second = languages
        a = self.fingerprint(one, language=first) or Fingerprint()
        b = self.fingerprint(other, language=second) or Fingerprint()
        return relation(a, b)

    def gather(self, sightings: tuple[Sighting, ...]) -> tuple[Idea, ...]:
        """Return the distinct ideas of one project's sightings, strongest first."""
        from twice.learners.corrections.gathering import gather

        return gather(sightings)

    def distill(self, idea: Idea) -> Wording:
        """Write the lesson that an idea teaches, in the clearest of its own words."""
        from twice.learners.distill import distill

        return distill(idea)
