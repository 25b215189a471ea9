"""The words of each language, as data: what they do in a sentence, and how they are folded."""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache, lru_cache
from sys import intern
from typing import Any, NamedTuple

import Stemmer  # type: ignore[import-not-found]

FORMS = 50_000  # folded words kept in hand for each language
SILENT = "silent"
_SPOKEN = frozenset(
    ("others", "reports", "reported", "acted", "announced", "hypotheticals", "negated", "outcomes")
)
_STROKES = str.maketrans("łđøı", "ldoi")  # letters that Unicode does not take apart
_APOSTROPHES = str.maketrans("", "", "'’\u02bc")
LEAST = 3  # letters that a suffix leaves of a word
_COUNTED = frozenset(("number", "path"))  # values of which a sentence often names some by the way
_ORDERING = frozenset(("manner", "practice", "task"))
_APOSTROPHE = re.compile("['’]")
Roles = frozenset[str]
NO_ROLES: Roles = frozenset()


@lru_cache(maxsize=FORMS)
def fold(word: str) -> str:
    """Return a word without case, accents of Latin letters, apostrophes and compatibility forms.

    >>> fold("Don’t"), fold("Español")
    ('dont', 'espanol')
    """
    word = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
    word = word.translate(_STROKES)
    if word.isascii():
        return intern(word.replace("'", ""))
    plain: list[str] = []
    for letter in unicodedata.normalize("NFD", word):
        if not (plain and unicodedata.combining(letter) and "a" <= plain[-1] <= "z"):
            plain.append(letter)
    return unicodedata.normalize("NFC", "".join(plain)).translate(_APOSTROPHES)


@lru_cache(maxsize=FORMS)
def shared(roles: Roles) -> Roles:
    """Return one and the same set for all words of the same roles: what is small is quick."""
    return frozenset(map(intern, roles))


class Word(NamedTuple):
    """A folded word: its stem for fingerprints, and the roles it has by itself."""

    form: str
    stem: str
    roles: Roles


@dataclass(slots=True)
class Vocabulary:
    """Hold one language.

    ``marks`` are single words; ``phrases`` longer ones by their first and second word, the longest
    first.

    ``runs`` does the same for scripts without spaces, by first character; "$" in one stands for
    the end of a run. ``tails`` are endings that are pieces of their own, ``bound`` those that are
    none: they join what they stand between.
    """

    language: str
    elisions: frozenset[str]
    marks: dict[str, Roles]
    phrases: "Phrases"
    runs: dict[str, tuple[tuple[str, Roles], ...]]
    stems: dict[str, Roles]
    canonical: dict[str, str]
    endings: tuple[tuple[str, str], ...]
    templates: dict[str, str]
    telltales: frozenset[str]
    letters: str
    bases: dict[str, str]  # stem of a verb to the form of an order
    turned: dict[str, str]  # a word to its opposite
    categories: dict[str, str]  # stem to category
    suffixes: frozenset[str]  # where there is no stemmer
    stemmer: Any = None
    tails: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()
    lexicon: frozenset[str] = frozenset()  # words that end like a tail
    known: dict[str, Word] = field(default_factory=dict)
    divided: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inflections: tuple[tuple[re.Pattern[str], Roles], ...] = ()  # of verbs, by what a form does
    polite: str = ""  # the ending of a polite order, behind that of a familiar one
    falling: str = ""  # vowels that a verb may lose before an ending
    apostrophes: bool = False  # what stands behind one is an ending
    verbs: frozenset[str] = NO_ROLES  # that are inflected so

    def word(self, text: str) -> Word:
        """Return the folded word with its stem and roles."""
        known = self.known.get(text)
        if known is None:
            if len(self.known) >= FORMS:
                self.known.clear()
            said = _APOSTROPHE.split(text, maxsplit=1)[0] if self.apostrophes else text
            known = self.known[text] = self._read(fold(said or text))
        return known

    def _read(self, form: str) -> Word:
        if self.inflections and form not in self.canonical and (found := self._inflected(form)):
            return found
        stem = self.canonical.get(form) or self.stem(self._familiar(form))
        roles = self.stems.get(stem, NO_ROLES)
        ended = [role for end, role in self.endings if _ends(form, end)]
        roles = roles.union(ended) if ended else roles
        stem = self.canonical.get(stem, stem)
        if stem == form:
            stem = _typed(stem)
        if ":" in stem:
            kind = stem.partition(":")[0]
            roles |= {"counted" if kind in _COUNTED else "typed", kind}
        return Word(form, stem, shared(roles | self.marks.get(form, NO_ROLES)))

    def _familiar(self, form: str) -> str:
        """Return the form of an order to one friend: "правьте" orders what "правь" does."""
        head = form.removesuffix(self.polite) if self.polite else form
        return head if head != form and head[-1:] in ("й", "ь") else form

    def _inflected(self, form: str) -> Word | None:
        """Return a form of one of the table's verbs, with what its ending does."""
        for i in range(len(form), 1, -1):
            heads = (form[:i], *(form[:i] + vowel for vowel in self.falling if i < len(form)))
            verb = next((head for head in heads if head in self.verbs), None)
            if verb is None:
                continue
            for ending, does in self.inflections:
                if ending.fullmatch(form, i):
                    roles = self.stems.get(verb, NO_ROLES)
                    roles = (roles if "closing" in does else roles - _ORDERING) | does
                    stem = self.canonical.get(verb, verb)
                    return Word(form, stem, shared(roles | self.marks.get(form, NO_ROLES)))
        return None

    def divide(self, text: str) -> tuple[str, ...]:
        """Return a word and its tails, which make up the text together."""
        done = self.divided.get(text)
        if done is None:
            if len(self.divided) >= FORMS:
                self.divided.clear()
            done = self.divided[text] = self._divide(text)
        return done

    def _divide(self, text: str) -> tuple[str, ...]:
        ends: list[str] = []
        while not self._stands(text):
            heads = ((text[: -len(end)], end) for end in self.tails if text.endswith(end))
            found = next((pair for pair in heads if _apart(*pair) or self._stands(pair[0])), None)
            if found is None:
                break
            text = found[0]
            ends.insert(0, found[1])
        return (text, *ends)

    def _stands(self, text: str) -> bool:
        form = fold(text)
        known = (self.marks, self.canonical, self.stems, self.lexicon)
        return any(form in words for words in known)

    def stem(self, form: str) -> str:
        """Return the stem of a folded word; identifiers and paths stay as they are."""
        if not form.isalpha() or form in self.verbs:
            return form
        if self.stemmer is None:
            return self._cut(form)
        stem: str = self.stemmer.stemWord(form)
        return fold(stem)

    def _cut(self, form: str) -> str:
        """Cut off the longest suffix that leaves enough of the word."""
        for at in range(LEAST, len(form)) if self.suffixes else ():
            if form[at:] in self.suffixes:
                return form[:at]
        return form


def _typed(form: str) -> str:
    """Return a number or a path with its kind, everything else as it is."""
    if ":" in form:
        return form
    number = form.removeprefix("#")
    if number[:1].isdigit() and number.rstrip("%").replace(".", "").isdigit():
        return f"number:{number}"
    counted = number.rstrip("".join(c for c in number if c > "\u2e7f"))
    if counted.isdigit() and len(number) - len(counted) in (1, 2):
        return f"number:{counted}"  # "15분"
    return f"path:{form}" if form.endswith(("/", "-")) else form


def _apart(head: str, end: str) -> bool:
    """Tell a word that may stand before a tail: one of two letters, or of another script."""
    return len(head) > 1 or bool(head and head.isascii() != end.isascii())


def _ends(form: str, ending: str) -> bool:
    return len(form) > len(ending) + 1 and form.endswith(ending)


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have a table, English first."""
    from pathlib import Path  # late, as in `_read_table`

    tables = (Path(__file__).parent / "words").glob("*.toml")
    names = sorted(path.stem for path in tables if path.stem != "values")
    return ("en", *(name for name in names if name != "en"))


@cache
def vocabulary(language: str) -> Vocabulary:
    """Return the words of a language; of English where the language has no table."""
    if language not in languages():
        return vocabulary("en")
    return _build(language, _read_table(language))


@cache
def introductions() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that introduce somebody's words, and those that a speaker calls himself."""
    tables = [_read_table(language).get("introductions", {}) for language in languages()]
    verbs = {verb for table in tables for verb in table.get("verbs", ())}
    selves = {name for table in tables for name in table.get("selves", ())}
    return tuple(sorted(verbs, key=lambda verb: (-len(verb), verb))), tuple(sorted(selves))


@cache
def values() -> dict[str, str]:
    """Return the typed values that all languages share: ``{"npm": "packages:npm", ...}``."""
    table = _read_table("values")
    return {name: f"{kind}:{name}" for kind, names in table.items() for name in names}


def _read_table(name: str) -> dict[str, Any]:
    import tomllib  # late: who hears nothing does not pay for it
    from pathlib import Path

    return tomllib.loads((Path(__file__).parent / "words" / f"{name}.toml").read_text("utf-8"))


def _build(language: str, table: dict[str, Any]) -> Vocabulary:
    stemmer = Stemmer.Stemmer(table["stemmer"]) if table.get("stemmer") else None
    bound = frozenset(table.get("bound", ()))
    marks: dict[str, set[str]] = {}
    for role, phrases in table["marks"].items():
        for phrase in phrases:
            marks.setdefault(phrase, set()).update((role,) if role in _SPOKEN else (role, SILENT))
    for roles in marks.values():
        if not roles.isdisjoint(table.get("closing", ())):
            roles.add("closing")
    folded = _folded(marks, frozenset(table.get("elisions", ())))
    words = Vocabulary(
        language=language,
        elisions=frozenset(table.get("elisions", ())),
        marks={words[0]: roles for words, roles in folded.items() if len(words) == 1},
        phrases=_phrases(folded),
        runs={},
        stems={},
        canonical=values() | {fold(k): v for k, v in table.get("canonical", {}).items()},
        endings=tuple(
            (fold(end), role) for role, ends in table.get("endings", {}).items() for end in ends
        ),
        templates=table.get("templates", {}),
        telltales=_telltales(folded, table),
        letters=table.get("letters", ""),
        bases={fold(name): base for name, base in table.get("bases", {}).items()},
        turned=table.get("turned", {}),
        categories={},
        suffixes=frozenset(fold(suffix) for suffix in table.get("suffixes", ())),
        stemmer=stemmer,
        tails=tuple(sorted((*table.get("tails", ()), *bound), key=lambda end: -len(end))),
        bound=bound,
        lexicon=frozenset(table.get("lexicon", ())),
        inflections=tuple(
            (re.compile(pattern), frozenset(roles.split()))
            for roles, pattern in table.get("inflections", {}).items()
        ),
        polite=table.get("polite", ""),
        falling=table.get("falling", ""),
        apostrophes=table.get("apostrophes", False),
        verbs=_verbs(table) if "inflections" in table else NO_ROLES,
    )
    _add_forms(words, table)
    _add_stems(words, table)
    if words.tails:
        words.phrases = _phrases({_divided(phrase, words): folded[phrase] for phrase in folded})
    if not table.get("spaced", True):
        known: dict[str, set[str]] = {word: set() for word in table.get("canonical", {})}
        known |= {word: set() for word in table.get("languages", {})}
        known |= {word: set() for word in table.get("lexicon", ())}
        known |= {word: {SILENT} for word in bound}
        known |= {word: set(roles) for word, roles in words.stems.items()}
        for phrase, roles in marks.items():
            known.setdefault(phrase, set()).update(roles)
        words.runs = _runs(known)
    return words


def _verbs(table: dict[str, Any]) -> frozenset[str]:
    sections = (*table["verbs"].values(), *table.get("silent", {}).values())
    return frozenset(fold(name) for names in sections for name in names)


def _add_forms(words: Vocabulary, table: dict[str, Any]) -> None:
    """Give single forms of words a role: neither their stems nor marks, they say something."""
    for role, names in table.get("forms", {}).items():
        for name in names:
            form = fold(name)
            words.marks[form] = words.marks.get(form, NO_ROLES) | {role}


def _add_stems(words: Vocabulary, table: dict[str, Any]) -> None:
    gathered: dict[str, set[str]] = {}
    late = {"late"} if "closing" in table else set()
    for section, extra in (("silent", {SILENT}), ("verbs", late), ("nouns", set())):
        for role, names in table.get(section, {}).items():
            for name in names:
                gathered.setdefault(words.stem(fold(name)), set()).update({role} | extra)
    words.stems = {stem: frozenset(roles) for stem, roles in gathered.items()}
    for names in (*table["verbs"].values(), *table.get("silent", {}).values()):
        for name in names:
            words.bases.setdefault(words.stem(fold(name)), name)
    for name, code in table.get("languages", {}).items():
        words.canonical[words.stem(fold(name))] = f"language:{code}"
        words.canonical[fold(name)] = f"language:{code}"
    for name, meaning in table.get("canonical", {}).items():
        if name != meaning:  # "useful" stays apart from "use"
            words.canonical[words.stem(fold(name))] = values().get(meaning, meaning)
        words.canonical[fold(name)] = values().get(meaning, meaning)
    for name, value in values().items():
        words.canonical.setdefault(words.stem(name), value)
    for category, names in table.get("categories", {}).items():
        for name in names:
            words.categories.setdefault(words.word(name).stem.rpartition(":")[2], category)


def _telltales(folded: dict[tuple[str, ...], Roles], table: dict[str, Any]) -> frozenset[str]:
    """Return the words that tell the language: marks of one word, verbs, languages."""
    groups = (*table.get("silent", {}).values(), *table["verbs"].values())
    light = [fold(name) for names in groups for name in names]
    named = [fold(name) for name in table.get("languages", {})]
    named += [fold(name) for name in table.get("telltales", ())]
    return frozenset([*(words[0] for words in folded if len(words) == 1), *light, *named])


Phrases = dict[str, dict[str, tuple[tuple[tuple[str, ...], Roles], ...]]]


def _folded(marks: dict[str, set[str]], elisions: frozenset[str]) -> dict[tuple[str, ...], Roles]:
    folded: dict[tuple[str, ...], set[str]] = {}
    for phrase, roles in marks.items():
        words = phrase.replace("'", "' ") if elisions else phrase
        folded.setdefault(tuple(fold(word) for word in words.split()), set()).update(roles)
    return {words: shared(frozenset(roles)) for words, roles in folded.items()}


def _divided(phrase: tuple[str, ...], words: Vocabulary) -> tuple[str, ...]:
    parts = [pair for word in phrase for pair in enumerate(words.divide(word))]
    return tuple(part for i, part in parts if not i or part not in words.bound)


def _phrases(folded: dict[tuple[str, ...], Roles]) -> Phrases:
    found: dict[str, dict[str, list[tuple[tuple[str, ...], Roles]]]] = {}
    for words, roles in folded.items():
        if len(words) > 1:
            found.setdefault(words[0], {}).setdefault(words[1], []).append((words, roles))
    return {
        first: {
            second: tuple(sorted(some, key=lambda one: -len(one[0])))
            for second, some in seconds.items()
        }
        for first, seconds in found.items()
    }


def _runs(marks: dict[str, set[str]]) -> dict[str, tuple[tuple[str, Roles], ...]]:
    first: dict[str, list[tuple[str, Roles]]] = {}
    for phrase, roles in marks.items():
        first.setdefault(phrase[0], []).append((phrase, frozenset(roles)))
    return {char: tuple(sorted(found, key=lambda f: -len(f[0]))) for char, found in first.items()}
