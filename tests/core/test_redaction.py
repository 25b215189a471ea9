"""Secrets leave a text whole, and nothing else does."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_redaction_tables import cases, harmless, secrets

from twice.core import redaction
from twice.core.redaction import redact

# --- homes, users, addresses -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("see /home/ann/work/app", "see ~/work/app"),
        ("see /Users/ann/work/app", "see ~/work/app"),
        ("/home/ann", "~"),
        ("cd /home/ann.lee-2/x", "cd ~/x"),
        ("file:///home/ann/x", "file://~/x"),
        ("/mnt/c/Users/ann/x and /var/home/ann/x", "~/x and ~/x"),
        (r"C:\Users\ann\x", r"~\x"),
        (r"c:\\Users\\ann\\x", r"~\\x"),
        ("C:/Users/ann/x", "~/x"),
        ("~/.claude/projects/-home-ann-work-app", "~/.claude/projects/~-work-app"),
        ("/data/people/bo/x and /data/people/bob", "~/x and /data/people/bob"),
        ("app/home/page.tsx", "app/home/page.tsx"),
        ("https://x.test/home/eve", "https://x.test/home/eve"),
        ("/home/index.html", "/home/index.html"),
        ("/Users/Shared/x", "/Users/Shared/x"),
        ("bo said so", "bo said so"),
        ("ann_lap and ann-lap, not annex or joann", "USER_lap and USER-lap, not annex or joann"),
        ("log in as root", "log in as root"),
    ],
)
def test_homes_and_user_names_are_hidden(text: str, clean: str) -> None:
    done = redact(text, homes=("/data/people/bo",), users=("ann", "bo", "root"))
    assert done.text == clean
    assert done.secrets == 0


def test_addresses_are_hidden_on_demand() -> None:
    text = "ask ann.lee+x@mail.example.org, not @ann or git@github.com:a/b or pkg@1.2.3"
    assert redact(text).text == text
    assert redact(text, emails=True).text == (
        "ask [redacted:email], not @ann or [redacted:email]:a/b or pkg@1.2.3"
    )


# --- findings --------------------------------------------------------------------------------


def test_a_finding_says_what_was_taken_and_where_its_place_is() -> None:
    done = redact("at /home/ann my password is hunter2, token=FAKE0123456789 end")
    kinds = [
        (found.kind, done.text[found.start : found.end], found.length) for found in done.findings
    ]
    assert kinds == [
        ("home", "~", 9),
        ("password", "[redacted:password]", 7),
        ("token", "[redacted:token]", 14),
    ]
    assert done.secrets == 2


def texts() -> st.SearchStrategy[str]:
    """Texts of the table's rows and of awkward pieces, in any order, with anything between."""
    pieces = [text for _, text, _ in cases()] + [
        *("/home/ann", "C:\\Users\\ann", "ann", "a@b.example", "[redacted:token]", "~", "USER"),
        *("password", "token=", "is", "-----BEGIN PRIVATE KEY-----", "://", ":", "@", "=", '"'),
    ]
    joints = st.sampled_from(["", " ", "\n", ", ", "\t", '"', "é", "\u2028", "\x00", "\ud800"])
    anything = st.one_of(st.sampled_from(pieces), st.text(max_size=8), joints)
    return st.lists(anything, max_size=12).map("".join)


@settings(max_examples=600, deadline=None)
@given(texts())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text, ("/home/ann",), ("ann",), True)
    twice = redact(once.text, ("/home/ann",), ("ann",), True)
    assert twice.text == once.text
    assert twice.secrets == 0


@settings(max_examples=300, deadline=None)
@given(texts())
def test_findings_stand_in_order_where_they_say(text: str) -> None:
    done = redact(text, ("/home/ann",), ("ann",), True)
    at = 0
    for found in done.findings:
        assert at <= found.start < found.end and found.length > 0
        shown = {"home": "~", "user": "USER"}.get(found.kind, f"[redacted:{found.kind}]")
        assert done.text[found.start : found.end] == shown
        at = found.end


# --- across borders --------------------------------------------------------------------------


@pytest.mark.parametrize("shift", range(-40, 41, 4))
@pytest.mark.parametrize("fill", ["lorem ipsum dolor\n", "word ", "word,"])
def test_no_secret_survives_at_the_edge_of_a_window(shift: int, fill: str) -> None:
    window = redaction.WINDOW_CHARS
    for border in (window, window * 7 // 8, 65_536):
        for text, value in secrets()[::200]:
            before = (fill * (border // len(fill) + 1))[: border + shift] + "\n"
            done = redact(before + text + "\n" + fill * 20)
            assert value not in done.text, (border, shift, text)


@pytest.mark.parametrize("length", [70_000, 300_000, 1_000_000])
def test_a_value_longer_than_a_window_goes_whole(length: int) -> None:
    value = ("FAKEq7Zx0Lm3+/" * (length // 14 + 1))[:length]
    for before in ("password=", "x " * 100_000 + "token: ", "Authorization: Bearer "):
        done = redact(f"{before}{value} and more")
        assert len(done.text) < len(before) + 60 and done.text.endswith(" and more")
        assert "q7Zx0Lm3" not in done.text
    lines = "\n".join(value[at : at + 64] for at in range(0, min(length, 90_000), 64))
    block = "-----BEGIN PRIVATE KEY-----\n" + lines + "\n-----END PRIVATE KEY-----"
    assert redact(block).text == "[redacted:private-key]"


# --- speed -----------------------------------------------------------------------------------

# Seconds; ten times what it takes, far below what a step that is not linear would.
PATIENCE = 20.0


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "A", "0", "=", "-", "_", ".", "/", "\\", '"', " ", "\n", "@", ":", "x", "+", "é"),
        *("password", "token ", "token=", "password is ", 'key="', "secret='a ", "api_key: "),
        *("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "-----BEGIN "),
        *("://", "://a:", "://a:b@", "http://a:b", "bearer ", "basic aaaaaaaa ", "Authorization: "),
        *(
            "/home/",
            "/home/a",
            "C:\\Users\\",
            "-home-a-",
            "Cookie: a=b; ",
            "cookie=",
            "eyJ",
            "eyJa.eyJa.",
        ),
        *(
            "sk-",
            "sk-a-",
            "sk_",
            "gh_",
            "ghp_",
            "AKIA",
            "a_b-c.",
            "secret_",
            "xoxb-",
            "pass ",
            "passwd:",
        ),
        *("the password for a b c d e f g ", "use token ", "x is my ", "password = token = "),
        *("a@", "a@b.", "[redacted:", "[redacted:token] ", "MAAAAAAAAAAAAAAAAAAAAAAAAA.", "密码是"),
        *(
            "A" * 64 + "\n",
            "token:\n",
            "\\n",
            "token=$",
            "token=<",
            "password: {{",
            "key=x*",
            ":" * 40,
        ),
        *(" -p", "curl -u a:", "mysql -pa1 ", "| sudo -S ", "net use ", 'auth("a", ', 'client("'),
        *("backup code a1b2 ", "pin: ", "seed phrase: abc ", "login: a / ", "identified by "),
        *("|password|\n|---|\n", "user,password\n", "password,user\na1b2c3,b\n"),
        *("(a, password) values ('a', 'b1')", "('a','b1'),", 'password value="', "password: (a) "),
        *(
            "LS0tLS1CRUdJTi",
            "Private-Lines: 1\nAAAAAAAAAAAA\n",
            "---- BEGIN ",
            '"kty" "d":"',
            "<D>A",
        ),
        *(
            "kind: Secret\n",
            "kind: Secret\ndata:\n  a: abcd\n",
            "data:\n  a: abcd\n",
            "a \\\n",
            "xxxxx",
        ),
        *("$2b$12$", "?sig=", "&code=abcdefgh", "://aaaaaaaaaaaaaaaaaaaa@", ":5432:a:b:", "a_b_"),
        *('\\"', "a\\nb\n\n", "\\u0041", "x\\\\", "password='\\''", "pass: abcd abcd ", "api key "),
        *("token=a.b.c", "password=xxxx_", "secret: a(", "<password>", "--token ", "passwort ist "),
        *("&quot;", "%22", "a\u200b", ' : EAP "', "u: a p: ", "login with a:", "pw a1b2c3d "),
        *("ghp_aaaaaaaaaaaaaaaaaaA1\n", "don't use abcdef1 password ", "base64 -d\n", "cred\n"),
    ],
)
def test_awkward_input_takes_linear_time(unit: str) -> None:
    assert seconds(unit, 100_000) < PATIENCE / 10


@pytest.mark.parametrize("unit", ["sk-", "password=$a ", "-----BEGIN PRIVATE KEY-----\n", "密码是"])
def test_a_megabyte_of_awkward_input_takes_linear_time(unit: str) -> None:
    assert seconds(unit, 1_000_000) < PATIENCE


def seconds(unit: str, length: int) -> float:
    text = unit * (length // len(unit))
    start = time.process_time()  # what others do on the machine is no matter
    redact(text, homes=("/home/ann",), users=("ann",), emails=True)
    return time.process_time() - start


def test_ordinary_text_costs_little() -> None:
    """At least 20 MB in a second on a quiet machine; a busy one is given ten times as long."""
    text = " ".join(
        harmless()[:3] + ["Please run the tests and tell me what failed, then fix it."] * 20
    )
    assert seconds(text + "\n", 2_000_000) < 1.0
