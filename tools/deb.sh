#!/usr/bin/env bash
# Packs a package for Debian: tools/deb.sh program|engine ARCH FROM TO
# FROM holds what a release archive does, or the engine's library; the package is written below TO.
# The same input gives the same bytes: times are SOURCE_DATE_EPOCH, owners are root.
set -euo pipefail
what=$1 arch=$2 from=$(realpath "$3") to=$(realpath "$4")
cd "$(dirname "$0")/.."
umask 022
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

# put MODE FILE PATH
put() { install -D -m "$1" "$2" "$tree/$3"; }

copyright() {
  mkdir -p "$tree/usr/share/doc/$1"
  printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' "Upstream-Name: $1" \
    'Source: https://github.com/sondehq/sonde' '' 'Files: *' "Copyright: $2" 'License: Apache-2.0' \
    ' On Debian systems the license is in /usr/share/common-licenses/Apache-2.0.' >"$tree/usr/share/doc/$1/copyright"
}

# control NAME VERSION DEPENDS SUMMARY, the long description from standard input
control() {
  mkdir -p "$tree/DEBIAN"
  printf '%s\n' "Package: $1" "Version: $2" "Architecture: $arch" 'Maintainer: Sonde <sonde@sondehq.invalid>' \
    "Installed-Size: $(du -ks --apparent-size "$tree" | cut -f 1)" 'Section: net' 'Priority: optional' \
    'Homepage: https://github.com/sondehq/sonde' "$3" "Description: $4" "$(sed 's/^/ /')" >"$tree/DEBIAN/control"
}

case $what in
  program)
    version=$(<VERSION)
    put 755 "$from/sonde" usr/bin/sonde
    put 644 deploy/debian/sonde.yaml etc/sonde/sonde.yaml
    mkdir -p "$tree/lib/systemd/system"
    # A package's program is in /usr, and its settings in a file.
    sed -e '1,/^\[Unit\]/{/^#/d}' -e 's|/usr/local/bin/sonde serve|/usr/bin/sonde serve --config /etc/sonde/sonde.yaml|' \
      -e '/^Environment=SONDE_/d' deploy/sonde.service >"$tree/lib/systemd/system/sonde.service"
    put 644 README.md usr/share/doc/sonde/README.md
    if [[ -f $from/sonde.1 ]]; then
      mkdir -p "$tree/usr/share/man/man1"
      gzip -9nc "$from/sonde.1" >"$tree/usr/share/man/man1/sonde.1.gz"
    fi
    if [[ -f $from/sonde.bash ]]; then
      put 644 "$from/sonde.bash" usr/share/bash-completion/completions/sonde
      put 644 "$from/sonde.zsh" usr/share/zsh/vendor-completions/_sonde
      put 644 "$from/sonde.fish" usr/share/fish/vendor_completions.d/sonde.fish
    fi
    copyright sonde "2026 the Sonde authors"
    mkdir -p "$tree/usr/share/doc/sonde"
    gzip -9nc CHANGELOG.md >"$tree/usr/share/doc/sonde/CHANGELOG.md.gz"
    control sonde "$version" $'Depends: adduser, libc6\nRecommends: sonde-engine' "observability server for LLM applications" <<<"Sonde keeps the traces of LLM applications and tells what agents did, what
it cost and whether it got better. It takes data from Langfuse SDKs and
OpenTelemetry exporters."
    echo /etc/sonde/sonde.yaml >"$tree/DEBIAN/conffiles"
    for script in postinst prerm postrm; do put 755 "deploy/debian/sonde.$script" "DEBIAN/$script"; done
    ;;
  engine)
    version=$(awk -v a="$arch" '$1 == "linux" && $2 == a { print $4 }' internal/engine/libraries.txt)
    # A hyphen would begin the revision of a package, and a tilde sorts before nothing.
    version=${version//-stable/+stable}
    put 644 "$from/libchdb.so" usr/lib/sonde/libchdb.so
    copyright sonde-engine "2016-2026 the ClickHouse and chDB authors"
    control sonde-engine "$version" 'Depends: libc6' "engine of the observability server Sonde" <<<"ClickHouse as a library, with which a single node of Sonde keeps and reads
traces. Nodes that are given the address of a ClickHouse server do not need it."
    ;;
  *)
    echo "tools/deb.sh program|engine ARCH FROM TO" >&2
    exit 2
    ;;
esac
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
name=$(sed -n 's/^Package: //p' "$tree/DEBIAN/control")
dpkg-deb --root-owner-group -Zgzip -z6 --build "$tree" "$to/${name}_${version}_$arch.deb" >/dev/null
echo "packed ${name}_${version}_$arch.deb"
