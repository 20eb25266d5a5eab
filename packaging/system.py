"""What Linux itself must bring: libraries that Qt and the model engine load, and for the checks a screen and tools.

Windows and macOS bring everything; there nothing is ever missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TOOLS = ("Xvfb", "xdotool", "strace")
FONTS = "a font"
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts", "/run/host/fonts")
_FONT_ENDINGS = {".ttf", ".otf", ".ttc", ".pfb"}

_INSTALLERS = {
    "apt-get": "sudo apt-get install -y",
    "dnf": "sudo dnf install -y",
    "pacman": "sudo pacman -S --needed",
}
_PACKAGES = {
    # library or tool: (Debian and Ubuntu, Fedora, Arch)
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd"),
    "libGLX.so.0": ("libglx0", "libglvnd-glx", "libglvnd"),
    "libGLdispatch.so.0": ("libglvnd0", "libglvnd", "libglvnd"),
    "libOpenGL.so.0": ("libopengl0", "libglvnd-opengl", "libglvnd"),
    "libX11.so.6": ("libx11-6", "libX11", "libx11"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11"),
    "libxcb.so.1": ("libxcb1", "libxcb", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb", "libxcb"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client", "wayland"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor", "wayland"),
    "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl", "wayland"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libgomp.so.1": ("libgomp1", "libgomp", "gcc-libs"),
    "libgssapi_krb5.so.2": ("libgssapi-krb5-2", "krb5-libs", "krb5"),
    "libstdc++.so.6": ("libstdc++6", "libstdc++", "gcc-libs"),
    "Xvfb": ("xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"),
    "xdotool": ("xdotool", "xdotool", "xdotool"),
    "strace": ("strace", "strace", "strace"),
    FONTS: ("fonts-dejavu-core", "dejavu-sans-fonts", "ttf-dejavu"),
}


@dataclass(frozen=True)
class Missing:
    """Libraries and tools that were looked for in vain. False where there are none."""

    names: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def packages(self) -> list[str]:
        """The packages of this system that bring them, each once."""
        column = list(_INSTALLERS).index(_installer() or "apt-get")
        return sorted({_PACKAGES[name][column] for name in self.names if name in _PACKAGES})

    def sentence(self) -> str:
        """Say what is missing and which command brings it."""
        installer = _installer()
        if installer is None or not self.packages:
            return f"The system lacks {', '.join(self.names)}: install it with your system's own tool."
        command = _INSTALLERS[installer] if os.geteuid() else _INSTALLERS[installer].removeprefix("sudo ")
        return f"The system lacks {', '.join(self.names)}: {command} {' '.join(self.packages)}"


def missing_for_window(site_packages: Path) -> Missing:
    """Look for what the window and the model engine load, on the kind of screen this session has."""
    if sys.platform != "linux":
        return Missing(())
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if not platform:
        platform = "wayland" if os.environ.get("WAYLAND_DISPLAY") else "xcb"
    return Missing(_missing_libraries(site_packages, platform))


def missing_for_checks(site_packages: Path) -> Missing:
    """Look for what the whole test suite needs: the window's libraries, a virtual screen, its tools, a font."""
    if sys.platform != "linux":
        return Missing(())
    tools = [tool for tool in TOOLS if shutil.which(tool) is None]
    fonts = [] if _has_font() else [FONTS]
    return Missing((*_missing_libraries(site_packages, "xcb"), *tools, *fonts))


def may_install() -> bool:
    """Tell whether system packages may be installed unasked: on a build machine, as root, with apt-get."""
    return bool(os.environ.get("CI")) and sys.platform == "linux" and os.geteuid() == 0 and _installer() == "apt-get"


def install(missing: Missing) -> None:
    """Install the packages that bring what is missing; what apt-get says goes to standard error."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    steps: tuple[list[str], ...] = (["update"], ["install", "-y", "--no-install-recommends", *missing.packages])
    for step in steps:
        subprocess.run(["apt-get", "-q", *step], env=quiet, stdout=sys.stderr, check=False)


def _missing_libraries(site_packages: Path, platform: str) -> tuple[str, ...]:
    qt = site_packages / "PySide6"
    loaded = [qt / "QtWidgets.abi3.so", qt / "QtNetwork.abi3.so", qt / "Qt/plugins/platforms" / f"libq{platform}.so"]
    loaded += sorted(site_packages.glob("xllamacpp/*.so"))
    return tuple(sorted(set(_not_found(file for file in loaded if file.exists()))))


def _not_found(files: Iterable[Path]) -> Iterable[str]:
    """Ask the system's own loader which libraries behind `files` it cannot find."""
    asked = [str(file) for file in files]
    if not asked or shutil.which("ldd") is None:
        return
    answer = subprocess.run(["ldd", *asked], capture_output=True, text=True, check=False)
    for line in answer.stdout.splitlines():
        name, arrow, where = line.strip().partition(" => ")
        if arrow and where.startswith("not found"):
            yield name


def _has_font() -> bool:
    folders = (Path(folder).expanduser() for folder in _FONT_FOLDERS)
    return any(file.suffix.lower() in _FONT_ENDINGS for folder in folders for file in folder.rglob("*"))


def _installer() -> str | None:
    return next((name for name in _INSTALLERS if shutil.which(name)), None)
