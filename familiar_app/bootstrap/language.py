"""Which language the window speaks: the one of the settings, else the first of the system's that there is."""

from __future__ import annotations

import gettext
import logging
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import speak
from familiar_app.store.profile import Profile
from familiar_app.store.resource import resource

SOURCE = "en"
SYSTEM = "system"
_DOMAIN = "familiar"
log = logging.getLogger(__name__)


def choose_language(profile: Profile) -> str:
    """Let the window speak from now on; returns the language's code. Call it before anything is shown."""
    code = best(_wish(profile), QLocale.system().uiLanguages())
    speak(code, _catalogue(code))
    QLocale.setDefault(QLocale(code) if code != SOURCE else QLocale(QLocale.Language.English))
    _translate_qt(code)
    return code


def best(wish: str, of_system: Sequence[str]) -> str:
    """Return the language to speak by the setting and the languages the system's owner reads, best first."""
    there = {SOURCE, *available()}
    if wish in there:
        return wish
    spoken = [code.replace("_", "-").split("-")[0].lower() for code in of_system]
    return next((code for code in spoken if code in there), SOURCE)


def available() -> list[str]:
    """List the languages there are catalogues for, besides the source's."""
    return sorted(path.parent.parent.name for path in resource("locale").glob(f"*/LC_MESSAGES/{_DOMAIN}.mo"))


def _wish(profile: Profile) -> str:
    try:
        return profile.settings().language
    except FamiliarError as error:
        # Told in full, and with a way out, by whoever opens the profile.
        log.info("the language is the system's: %s", type(error).__name__)
        return SYSTEM


def _catalogue(code: str) -> gettext.NullTranslations:
    if code == SOURCE:
        return gettext.NullTranslations()
    return gettext.translation(_DOMAIN, str(resource("locale")), languages=[code])


def _translate_qt(code: str) -> None:
    """Let Qt's own dialogs and menus speak the language, too."""
    app = QCoreApplication.instance()
    if app is None or code == SOURCE:
        return
    translator = QTranslator(app)
    if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
