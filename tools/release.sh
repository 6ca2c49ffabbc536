#!/usr/bin/env bash
# Builds what a release offers into dist/: an archive for each platform, packages for Debian, the engine's library where
# it is at hand, the list of everything inside (SBOM) and the sums of all of it. The same sources give the same bytes,
# wherever and whenever they are built (tools/release-check.sh).
# `tools/release.sh linux/arm64` builds for this platform only. The web interface is taken as it is in ui/dist.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC CGO_ENABLED=0
version=$(<VERSION)
commit=${COMMIT:-$(git rev-parse --short=12 HEAD)}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
platforms=("${@:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}")
read -ra platforms <<<"${platforms[*]}"
selfobs=github.com/sondehq/sonde/internal/selfobs

if [[ ! -f ui/dist/index.html ]]; then
  echo "there is no web interface in ui/dist: run make ui" >&2
  exit 1
fi
rm -rf dist
mkdir -p dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program SYSTEM ARCH FILE
program() {
  GOOS=$1 GOARCH=$2 go build -trimpath -buildvcs=false -o "$3" \
    -ldflags "-s -w -X $selfobs.Version=$version -X $selfobs.Commit=$commit" ./cmd/sonde
}

# archive FILE DIR NAME: NAME below DIR, with nothing in it of who packed it and when.
archive() {
  tar --create --directory "$2" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w "$3" | gzip -n >"$1"
}

# What the program writes itself, when it can: completions of shells, and its manual.
program "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" "$work/sonde"
mkdir "$work/written"
if "$work/sonde" --help | grep -q '^  completion '; then
  for shell in bash zsh fish; do "$work/sonde" completion "$shell" >"$work/written/sonde.$shell"; done
fi
if "$work/sonde" --help | grep -q '^  man '; then "$work/sonde" man >"$work/written/sonde.1"; fi

for platform in "${platforms[@]}"; do
  system=${platform%/*} arch=${platform#*/}
  name=sonde_${version}_${system}_$arch
  mkdir "$work/$name"
  program "$system" "$arch" "$work/$name/sonde"
  cp LICENSE README.md CHANGELOG.md deploy/sonde.service "$work/$name/"
  cp "$work"/written/* "$work/$name/" 2>/dev/null || true
  chmod 755 "$work/$name/sonde"
  archive "dist/$name.tar.gz" "$work" "$name"
  if [[ $system == linux ]] && command -v dpkg-deb >/dev/null; then
    tools/deb.sh program "$arch" "$work/$name" dist
  fi
  echo "built $name"
done

# The library is as large as five programs, so it has an archive and a package of its own.
read -r system arch engine < <(awk -v p="$(go env GOHOSTOS) $(go env GOHOSTARCH)" '$1 " " $2 == p { print $1, $2, $4 }' internal/engine/libraries.txt)
if [[ -f .engine/libchdb.so && " ${platforms[*]} " == *" $system/$arch "* ]]; then
  mkdir "$work/engine"
  cp .engine/libchdb.so "$work/engine/"
  archive "dist/sonde-engine_${engine}_${system}_$arch.tar.gz" "$work/engine" libchdb.so
  if [[ $system == linux ]] && command -v dpkg-deb >/dev/null; then tools/deb.sh engine "$arch" "$work/engine" dist; fi
  echo "packed the engine's library $engine"
fi

tools/sbom.py "$version" "$commit" "$work"/sonde_*/sonde >"dist/sonde_$version.cdx.json"
(cd dist && sha256sum -- * >SHA256SUMS)
echo "dist has $(wc -l <dist/SHA256SUMS) files of sonde $version"
