"""What secrets are called, in many languages, and what only sounds like it."""

import re
from functools import lru_cache

from twice.core.redaction.values import words

NEEDLES = words(
    """
    pass pw secret tok key salt cred cookie auth sessid bearer psk _pat contrase senha clave kennw
    wachtw parola sifre haslo heslo adgangskod kodeord salasan jelsz sandi mdp
    jsessionid chave chiave
    """
)
"""Where to look for a name, in lower case."""

SPELLED = {
    "identified by": "password",
    " pat ": "key?",
    " wif ": "key",
    "_session": "token",
    "honeycomb-team": "key?",
}
"""Names that are taken as they stand."""

_FOREIGN = {
    **dict.fromkeys(
        words(
            """
            hasł şifre парол гасло κωδικ συνθηματικ סיסמ lösenord slaptaž ключ токен секрет
            clé schlüssel
            """
        )
    ),
    **dict.fromkeys(
        words(
            """
            密码 密碼 口令 密钥 密鑰 暗証番号 パスワード パスコード
            비밀번호 비번 패스워드 암호 पासवर्ड รหัสผ่าน
            """
        ),
        "password",
    ),
    **dict.fromkeys(("كلمة المرور", "كلمة مرور", "كلمة السر", "رمز عبور", "mật khẩu"), "password"),
    **dict.fromkeys(words("令牌 トークン 토큰"), "token"),
    "ключ шифрования": "key",
    **dict.fromkeys(words("キー 🔑 🔐 🗝"), "key?"),
}
FOREIGN = tuple(
    (
        re.findall(r"[^\x00-\x7f]+", written)[0].encode(),
        re.sub(r"[^\x00-\x7f]", "?", written.lower()),
        written,
        kind,
    )
    for needle, kind in _FOREIGN.items()
    for written in dict.fromkeys((needle, needle.capitalize()))
)
"""The same in other scripts: the letters of it that are not ASCII, what ASCII leaves of it, the
whole, and what kind it is. Those with a kind are taken as they stand, whatever is around them."""

_PASSWORDS = words(
    """
    password passwd passphrase passcode pwd pass pw psk passe clave mdp sandi passwordnya
    adminpass bindpw dbpass ftppass mailpass masterauth mypass requirepass rootpass rootpw smtppass
    sshpass userpass
    """
)
# Languages put endings on these, so their beginning is enough.
_PASSWORD_STEMS = re.compile(
    r"(?:\w*(?:passwort|kennwort|wachtwoord|l[öo]senord|passord|adgangskod)|senha|contrase[ñn]a"
    r"|parol[aeă]|[şs]ifre|has[łl][aoeu]|kodeord|salasan|hesl[aoe]"
    r"|jelsz|slaptaž|парол|гасло|κωδικ|συνθηματικ|ה?סיסמ)\w{0,4}"
)
_TOKENS = words("token tok apikey credential credentials cred creds auth bearer pat токен токена")
_KEYS = words("key ключ ключа clé schlüssel chave chiave")
KEY_OWNERS = words(
    """
    access account admin anthropic api app application auth authentication aws azure bot client
    consumer crypto datadog db deploy encryption fernet gcp gemini github google groq hmac
    instrumentation integration jwt license master mistral openai personal private publishable role
    root sdk secret service session shared sign signing ssh storage stripe subscription trial unseal
    webhook wifi wlan wpa write
    """
)
_NO_SECRET_KEYS = words(
    """
    cache column composite gpg pgp context cookie dedup dedupe dict foreign group header hot
    idempotency index item lookup map message natural object partition primary public query react
    registry row s3 sort state surrogate translation unique
    """
)
_NEUTRAL = words(
    """
    b64 base base64 data dev development ext here header live local new old prod production raw
    staging str string test text val value current default main primary secondary
    """
)
_HARMLESS = words(
    """
    budget cached completion count create existing expired get generate has hash hashed input
    invalid is max
    min missing next no num number of output parse per prompt reasoning remaining require
    reset revoke rotate set total update use used validate verify without
    """
)
# What follows these words is about a secret, not one: a file that holds it, its lifetime.
_ABOUT = words(
    """
    age alg algorithm arn class dir endpoint env expires expiration expiry field file format header
    id ids index kind label length level limit manager method mode name names path policy prefix
    provider ref regex region role rotation rules scope size store suffix timeout ttl type uri url
    user version
    """
)
_ENDINGS = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|kennwort|secret|token|apikey|accesskey"
    r"|secretkey|privatekey|authkey|accountkey|masterkey|pwd|phpsessid|jsessionid"
    r"|(?<!by)(?<!com)(?<!tres)(?<!sur)(?<!low)(?<!high)(?<!band)(?<!over)(?<!under)pass)$"
)
_ENDING_KINDS = {
    "token": "token",
    "secret": "secret",
    "phpsessid": "token",
    "jsessionid": "token",
    "pass": "pass",
}
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")


@lru_cache(maxsize=4096)
def kind_of_name(name: str) -> str | None:
    """Tell what kind of secret a name stands for, or None.

    "pass" alone is a word like others, and "key?" opens something or only finds it.

    >>> kind_of_name("DB_PASSWORD"), kind_of_name("maxTokens"), kind_of_name("x-api-key")
    ('password', None, 'key')
    >>> kind_of_name("pass"), kind_of_name("OPSGENIE_KEY"), kind_of_name("TOKEN_FOR_CI")
    ('pass', 'key?', 'key?')
    """
    every = [part.lower() for part in _NAME_PART.findall(name)]
    parts = list(every)
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _NEUTRAL):
        parts.pop()
    if parts[1:] and parts[-1] == "salt":
        return "key?"
    if not parts or any(part in _HARMLESS for part in parts):
        return None
    kind = _kind_of_parts(parts)
    if kind is None and name == name.upper() and not _ABOUT & set(every):
        kinds = {_kind_of_parts(parts[:end]) for end in range(1, len(parts))} - {None, "pass"}
        return "password" if "password" in kinds else "key?" if kinds else None
    return kind


def _kind_of_parts(parts: list[str]) -> str | None:
    last, owner = parts[-1], parts[-2] if len(parts) > 1 else ""
    if parts in (["pass"], ["pw"]):
        return "pass"
    if last == "secret":
        return "secret"
    if last in _PASSWORDS or _PASSWORD_STEMS.fullmatch(last):
        return "password"
    if owner == "pass" and last in ("phrase", "word", "code"):
        return "password"
    if last in _TOKENS:
        return "token"
    if last in _KEYS:
        if owner in KEY_OWNERS:
            return "key"
        return None if owner in _NO_SECRET_KEYS else "key?"
    ending = _ENDINGS.search(last)
    if ending is None:
        return None
    return _ENDING_KINDS.get(ending[0], "key" if ending[0].endswith("key") else "password")
