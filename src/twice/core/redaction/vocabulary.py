"""What secrets are called, and what only sounds like it."""

import re
from functools import lru_cache

from twice.core.redaction.values import words

_PASSWORDS = words(
    """
    password passwd passphrase passcode pwd pass pw secret passwort kennwort wachtwoord senha
    contraseña contrasena parola şifre sifre şifrem sifrem şifresi hasło hasła пароль пароля
    паролем 密码 密碼 口令 密钥 パスワード 비밀번호 passe clave
    """
)
_TOKENS = words(
    """
    token apikey credential credentials cred creds auth токен 令牌 トークン 토큰
    """
)
KEY_OWNERS = words(
    """
    access account admin anthropic api app auth authentication aws azure bot client consumer
    crypto datadog db deploy encryption gcp gemini github google groq hmac jwt license master
    mistral openai personal private publishable root secret service session shared sign
    signing ssh storage stripe subscription webhook write role license trial
    """
)
_NEUTRAL = words(
    """
    b64 base64 dev development here live local new old prod production raw staging str string
    test text val value current default main primary secondary
    """
)
_HARMLESS = words(
    """
    budget cached completion count create expired get generate has hash hashed input invalid is max
    min missing next no num number of output parse per prompt reasoning remaining require
    reset revoke rotate set total update use used validate verify without
    """
)
_ENDINGS = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|kennwort|secret|token|apikey|accesskey"
    r"|secretkey|privatekey|authkey|accountkey|masterkey|pwd|phpsessid|jsessionid)$"
)
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")


@lru_cache(maxsize=4096)
def kind_of_name(name: str) -> str | None:
    """Tell what kind of secret a name stands for, or None; "pass" alone is a word like others.

    >>> kind_of_name("DB_PASSWORD"), kind_of_name("maxTokens"), kind_of_name("x-api-key")
    ('password', None, 'key')
    """
    parts = [part.lower() for part in _NAME_PART.findall(name)]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _NEUTRAL):
        parts.pop()
    if not parts or any(part in _HARMLESS for part in parts):
        return None
    last = parts[-1]
    if parts in (["pass"], ["pw"]):
        return "pass"
    if last in _PASSWORDS:
        return "secret" if last == "secret" else "password"
    if last in _TOKENS:
        return "token"
    if last == "key":
        return "key" if len(parts) > 1 and parts[-2] in KEY_OWNERS else None
    ending = _ENDINGS.search(last)
    if ending is None:
        return None
    return {"token": "token", "secret": "secret", "phpsessid": "token", "jsessionid": "token"}.get(
        ending[0], "key" if ending[0].endswith("key") else "password"
    )
