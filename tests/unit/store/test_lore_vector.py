"""Vectors of lorebook entries by the digest of their text."""

from __future__ import annotations

from familiar_app.domain.embedding import Vector
from familiar_app.store.vault import Vault


def vector(number: float) -> Vector:
    return Vector(1, bytes([int(number), 0, 0, 0]))


async def test_a_text_has_a_vector_for_each_model(vault: Vault) -> None:
    await vault.lore_vectors.put("a", {b"1": vector(1), b"2": vector(2)})
    await vault.lore_vectors.put("b", {b"1": vector(3)})
    assert await vault.lore_vectors.get("a", [b"1", b"2", b"2", b"3"]) == {b"1": vector(1), b"2": vector(2)}
    assert await vault.lore_vectors.get("b", [b"1", b"2"]) == {b"1": vector(3)}
    await vault.lore_vectors.put("a", {b"1": vector(4)})
    assert await vault.lore_vectors.get("a", [b"1"]) == {b"1": vector(4)}


async def test_more_than_can_be_asked_at_once(vault: Vault) -> None:
    many = {number.to_bytes(2, "big"): vector(number % 200) for number in range(1200)}
    await vault.lore_vectors.put("a", many)
    assert await vault.lore_vectors.get("a", many) == many


async def test_the_oldest_go(vault: Vault) -> None:
    await vault.lore_vectors.put("a", {b"1": vector(1), b"2": vector(2)})
    await vault.lore_vectors.put("a", {b"3": vector(3)}, keep=2)
    assert set(await vault.lore_vectors.get("a", [b"1", b"2", b"3"])) == {b"2", b"3"}
