"""What a writer makes of an idea: the words that a lesson is proposed in."""

from dataclasses import dataclass

from twice.core.ideas import Sighting
from twice.core.policy import Category


@dataclass(frozen=True, slots=True)
class Wording:
    """A lesson's words. ``source`` is the sighting whose own words they are.

    ``positive`` is another wording of a prohibition, or empty; ``name`` is a slug.
    """

    text: str
    positive: str
    name: str
    category: Category
    source: Sighting
    language: str = ""
