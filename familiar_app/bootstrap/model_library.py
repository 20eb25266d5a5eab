"""Builds the library of models of a profile: it is there before the vault is, and outlives its being closed."""

from __future__ import annotations

from familiar_app.bootstrap.application import Application
from familiar_app.domain.model_catalogue import read_catalogue
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.model_library import ModelLibrary
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.resource import resource


def build_library(application: Application, tasks: TaskRegistry) -> ModelLibrary:
    """Return the library over the shipped catalogue. Downloads follow the policy of the open vault."""
    catalogue = read_catalogue(resource("models", "catalogue.toml").read_text(encoding="utf-8"))

    def network() -> NetworkPolicy:
        if application.state == "open":
            return application.services.network
        return NetworkPolicy(local_only=application.local_only)

    return ModelLibrary(application.profile.root, catalogue, network, tasks)
