"""``abclust models [NAME]``: the shipped weights, or the card of one of them."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from abclust.zoo.model_card import ModelCard

EPILOG = """Examples:

abclust models

abclust models circles

abclust models mine.safetensors --json"""


def models(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Shipped weights or a network file, whose card is printed; all if not given.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """List the shipped weights: what each expects, its scores, size, licence and sha256; or print one card.

    A card says what weights are for, what they learnt from and how, their limits and their scores.
    """
    from abclust.zoo.card_page import card_markdown
    from abclust.zoo.model_card import model_card, shipped_cards

    cards = shipped_cards() if name is None else [model_card(name)]
    if as_json:
        told = [card.to_dict() for card in cards]
        typer.echo(json.dumps(told if name is None else told[0], indent=1))
    elif name is None:
        typer.echo("\n\n".join(_block(card) for card in cards))
    else:
        typer.echo(card_markdown(cards[0]).rstrip())


def _block(card: "ModelCard") -> str:
    from abclust.zoo.card_page import size_words
    from abclust.zoo.model_card import score_words

    scores = "; ".join(f"{score_words(name)} {value:.3f}" for name, value in card.scores.items())
    lines = {
        "an item is": card.expects,
        "for": card.intended_use,
        "scores": scores,
        "file": f"{size_words(card.n_bytes)}, {card.licence}, sha256 {card.sha256}",
    }
    return "\n".join([card.name, *(f"  {word:<11} {text}" for word, text in lines.items() if text)])
