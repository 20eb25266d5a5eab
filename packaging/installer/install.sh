#!/bin/sh
# Puts Familiar into the menu of one person, without rights over the system. Run it again after moving the folder;
# `./install.sh --remove` takes it out of the menu. What the familiars remember stays where it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin

refresh() {
    command -v update-desktop-database >/dev/null 2>&1 && update-desktop-database "$data/applications" || true
    command -v update-mime-database >/dev/null 2>&1 && update-mime-database "$data/mime" || true
}

if [ "${1:-}" = "--remove" ]; then
    rm -f "$data/applications/familiar.desktop" "$data/mime/packages/familiar.xml" "$bin/familiar"
    rm -f "$data"/icons/hicolor/*/apps/familiar.png
    rm -f "${XDG_CONFIG_HOME:-$HOME/.config}"/autostart/familiar.desktop
    rm -f "${XDG_CONFIG_HOME:-$HOME/.config}"/autostart/familiar-????????.desktop
    refresh
    echo "Familiar is out of the menu. Delete $here to remove the program."
    exit 0
fi

mkdir -p "$data/applications" "$data/mime/packages" "$data/icons" "$bin"
cp -R "$here/share/icons/." "$data/icons/"
cp "$here/share/mime/packages/familiar.xml" "$data/mime/packages/"
sed "s|^Exec=familiar|Exec=\"$here/familiar\"|" "$here/share/applications/familiar.desktop" \
    > "$data/applications/familiar.desktop"
ln -sf "$here/familiar" "$bin/familiar"
refresh
echo "Familiar is in the menu now, and $bin/familiar starts it from a terminal."
