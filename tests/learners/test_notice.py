"""What is heard in a person's words, and what is not."""

import pytest

from twice.core.ideas import Scope, SignalKind
from twice.learners.corrections import notice

HEARD = [
    # language, the agent's words, the person's, kind, scope
    ("en", "", "always use tabs in Makefiles", "preference", "durable"),
    ("en", "I ran `yarn add zod`.", "bun, not yarn", "correction", "durable"),
    ("en", "I pushed to develop.", "never push to develop!", "correction", "durable"),
    ("en", "I moved the footer.", "no, i meant the sidebar", "correction", "one_off"),
    ("en", "", "just this once commit without a ticket", "preference", "one_off"),
    ("en", "", "could you please always add a changelog line?", "preference", "durable"),
    ("en", "", "why are you still using moment? we use dayjs here", "correction", "durable"),
    ("es", "", "a partir de ahora usa uv en vez de pip", "preference", "durable"),
    ("es", "He instalado con npm.", "nunca uses npm", "correction", "durable"),
    ("de", "", "ab jetzt bitte immer den Linter laufen lassen", "preference", "durable"),
    ("de", "Ich habe npm benutzt.", "pnpm statt npm", "correction", "durable"),
    ("fr", "", "utilise toujours des guillemets doubles", "preference", "durable"),
    ("fr", "J'ai lancé npm.", "n'utilise pas npm, utilise bun", "correction", "durable"),
    ("ru", "", "всегда пиши тесты перед коммитом", "preference", "durable"),
    ("ru", "Запустил npm.", "не используй npm, используй bun", "correction", "durable"),
    ("zh", "", "以后都用 uv", "preference", "durable"),
    ("zh", "已执行 npm install。", "别用 npm，用 bun", "correction", "durable"),
]
NOTHING = [
    ("", "is there a reason we use yarn instead of npm?"),
    ("", "if we dropped IE we could use grid instead of floats"),
    ("", "the user should never see a stack trace"),
    ("", 'my boss wrote: "always squash before you merge, never rebase"'),
    ("", "add a flag that lets people pick tabs instead of spaces"),
    ("", "> Never use `any` in this repo.\n\nis that still true?"),
    ("", "```\n# always run make first, don't call cargo directly\n```"),
    ("", "ERROR use `ci` instead of `install`\nexit 1"),
    ("Is staging down too?", "No, only production."),
    ("Should I also update the docs?", "no need, thanks"),
    ("The button works now.", "great job, never seen it that fast"),
    ("", "Operation stopped by hook: don't use npm, use pnpm"),
    ("¿También en producción?", "no, solo aquí"),
    ("Soll ich weitermachen?", "nein danke"),
    ("Une alerte apparaît ?", "aucune erreur, juste un écran noir"),
    ("Проверить ещё раз?", "нет, спасибо"),
    ("还需要别的吗？", "不用了，谢谢"),
]


@pytest.mark.parametrize(("language", "previous", "text", "kind", "scope"), HEARD)
def test_a_wish_is_heard_with_its_kind_scope_and_language(
    language: str, previous: str, text: str, kind: str, scope: str
) -> None:
    signals = notice(text, previous=previous)
    assert signals, text
    best = max(signals, key=lambda signal: signal.confidence)
    assert (best.language, best.kind, best.scope) == (language, SignalKind(kind), Scope(scope))


@pytest.mark.parametrize(("previous", "text"), NOTHING)
def test_what_is_no_wish_is_not_heard(previous: str, text: str) -> None:
    assert notice(text, previous=previous) == ()


def test_a_wish_in_the_middle_of_other_things_is_found_alone() -> None:
    text = "The upload hangs at 90%. Please never retry more than twice. Logs are in /tmp/up.log."
    (signal,) = notice(text)
    assert signal.sentence == "Please never retry more than twice."
    assert text[signal.start : signal.end] == signal.sentence


def test_a_wish_in_a_chain_of_commas_is_found_alone() -> None:
    text = (
        "we have to fix the importer today, it drops rows with empty cells, by the way always "
        "answer me in German, and the sample files are in fixtures/big"
    )
    (signal,) = notice(text)
    assert "always answer me in German" in signal.sentence
    assert "importer" not in signal.sentence


def test_the_word_after_an_interruption_is_a_correction() -> None:
    (signal,) = notice("don't run the whole suite", interrupted=True)
    assert signal.kind is SignalKind.CORRECTION


def test_text_that_others_wrote_is_not_heard_beside_own_words() -> None:
    text = "use tabs, not spaces\n\n```\nuse npm, not pnpm\n```\n> never use tabs"
    assert [signal.sentence for signal in notice(text)] == ["use tabs, not spaces"]


def test_an_enumeration_of_signals_has_an_end() -> None:
    assert len(notice("use tabs, not spaces\n" * 500)) == 32


EACH_ON_A_LINE = {
    "en": "Suggest more changes and make sure each sentence is on a new line.",
    "de": "Schlag mehr vor und stell sicher, dass jeder Satz in einer neuen Zeile steht.",
    "es": "añade la tabla y asegúrate de que cada frase va en su propia línea",
    "pt": "adicione a tabela e garanta que cada frase fique em sua própria linha",
    "fr": "ajoute la table et assure-toi que chaque phrase est sur sa propre ligne",
    "it": "aggiungi la tabella e assicurati che ogni frase stia su una riga",
    "nl": "voeg de tabel toe en zorg ervoor dat elke zin op een eigen regel staat",
    "pl": "dodaj tabelę i upewnij się, że każde zdanie jest w osobnej linii",
    "ru": "добавь таблицу и следи, чтобы каждое предложение было на отдельной строке",
    "uk": "додай таблицю і стеж, щоб кожне речення було в окремому рядку",
    "zh": "加上表格，确保每个句子单独占一行",
}
EACH_PASSES = {
    "en": "do it and make sure all tests pass",
    "de": "mach das und stell sicher, dass alle Tests grün sind",
    "es": "hazlo y asegúrate de que todos los tests pasan",
    "pt": "faz isso e garante que todos os testes passam",
    "fr": "fais-le et assure-toi que tous les tests passent",
    "it": "fallo e assicurati che tutti i test passino",
    "nl": "doe het en zorg dat alle tests slagen",
    "pl": "zrób to i upewnij się, że wszystkie testy przechodzą",
    "ru": "сделай это и убедись, что все тесты проходят",
    "uk": "зроби це і переконайся, що всі тести проходять",
    "zh": "改好，确保所有测试通过",
}


@pytest.mark.parametrize("language", EACH_ON_A_LINE)
def test_how_each_thing_shall_be_is_heard_behind_a_task(language: str) -> None:
    (signal,) = notice(EACH_ON_A_LINE[language])
    assert "assurance" in signal.reasons
    assert signal.scope is Scope.DURABLE


@pytest.mark.parametrize("language", EACH_PASSES)
def test_that_all_shall_pass_is_part_of_the_task(language: str) -> None:
    assert notice(EACH_PASSES[language]) == ()
