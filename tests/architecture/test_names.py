"""What names may say: the words of the glossary, whole, and never a drawer for anything."""

import ast
import re

from tests.architecture.source import listed, modules

DRAWERS = {
    *("base", "common", "helper", "helpers", "manager", "misc", "service", "util", "utils"),
    *("cfg", "conf", "ctx", "db", "fmt", "impl", "lib", "mgr", "msg", "svc", "tmp"),
}
CLASS_ENDINGS = re.compile(r"(Base|Helper|Impl|Manager|Mixin|Service|Util|Utils)$")


def test_no_module_is_a_drawer_or_an_abbreviation() -> None:
    flaws = [
        f"{module.at(module.tree)} is called {module.name}"
        for module in modules()
        if DRAWERS & set(re.split(r"[._]", module.name))
    ]
    assert not flaws, listed(flaws)


def test_no_class_is_a_manager() -> None:
    flaws = [
        f"{module.at(node)} is called {node.name}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and CLASS_ENDINGS.search(node.name)
    ]
    assert not flaws, listed(flaws)
