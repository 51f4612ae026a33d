"""The command line as one would type it again, for reports and results files."""

import shlex
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from typer.core import TyperCommand

_typed: ContextVar[str] = ContextVar("typed", default="abclust")


class RememberedCommand(TyperCommand):
    """A command that remembers what was typed while it runs; ``app.command(cls=RememberedCommand)``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        token = _typed.set(_text(ctx))
        try:
            return super().invoke(ctx)
        finally:
            _typed.reset(token)


def typed_command() -> str:
    """The command that is running, with the arguments and options that were given; defaults are left out."""
    return _typed.get()


def _text(context: Any) -> str:
    words = ["abclust", context.info_name]
    for parameter in context.command.params:
        value, source = context.params.get(parameter.name), context.get_parameter_source(parameter.name)
        if value is None or source is None or source.name != "COMMANDLINE":
            continue
        if parameter.param_type_name == "argument":
            words.append(str(value))
        else:
            words += _option_words(parameter.opts, value)
    return shlex.join(words)


def _option_words(names: Sequence[str], value: Any) -> list[str]:
    name = max(names, key=len)  # the long form of --output, -o
    if isinstance(value, bool):
        return [name] if value else []
    values = value if isinstance(value, list | tuple) else [value]
    return [word for one in values for word in (name, str(one))]
