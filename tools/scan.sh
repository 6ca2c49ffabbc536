#!/usr/bin/env bash
# What others wrote and we ship: is it what was published, may we ship it, is anything known to be wrong with it?
# Fails on a finding. Says so, and does not fail, when a list of advisories cannot be asked: a scan that did not happen is no finding.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

echo "checksums of Go modules"
go mod verify || failed=1

echo "licenses of Go modules"
# By the text of each module's license file. What is none of these needs a decision record.
unknown=$(go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/sonde | sort -u | while read -r module dir; do
  file=$(find "$dir" -maxdepth 1 -iname 'license*' -o -maxdepth 1 -iname 'copying*' | head -n 1)
  if ! [[ $file ]] || ! grep -qiE 'Apache License|MIT License|Permission is hereby granted, free of charge|Redistribution and use in source and binary|Mozilla Public License|ISC License|Permission to use, copy, modify, and/or distribute|CC0|Unlicense' "$file"; then
    echo "  $module (${file:-no license file})"
  fi
done)
if [[ $unknown ]]; then
  echo "not on the list of licenses:"
  echo "$unknown"
  failed=1
fi

echo "licenses of npm packages that are shipped"
node -e '
const lock = require("./ui/package-lock.json"), allowed = /^(MIT|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|CC0-1\.0|Unlicense|MIT OR .*|\(MIT.*\)|MPL-2\.0|\(MPL-2\.0 OR Apache-2\.0\)|Python-2\.0|BlueOak-1\.0\.0)$/;
const bad = Object.entries(lock.packages).filter(([name, p]) => name && !p.dev && !p.link && !allowed.test(p.license || "none")).map(([name, p]) => `  ${name}: ${p.license || "none"}`);
if (bad.length) { console.log(bad.join("\n")); process.exit(1); }' || failed=1

echo "advisories of npm packages that are shipped"
if report=$(cd ui && timeout 40 npm audit --omit=dev --json 2>/dev/null) || [[ $report == *'"vulnerabilities"'* ]]; then
  node -e '
const report = JSON.parse(require("fs").readFileSync(0, "utf8")), found = Object.values(report.vulnerabilities || {}).filter((v) => ["high", "critical"].includes(v.severity));
console.log(found.length ? found.map((v) => `  ${v.name}: ${v.severity}`).join("\n") : "  none of high or critical severity");
process.exit(found.length ? 1 : 0);' <<<"$report" || failed=1
else
  echo "  NOT SCANNED: the registry does not answer with advisories"
fi

echo "advisories of Go modules"
govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.1.4
if ! out=$(timeout 240 go run "$govulncheck" ./cmd/sonde 2>&1); then
  if grep -qiE 'fetching vulnerabilities|dial tcp|no such host|connection refused|timeout' <<<"$out"; then
    echo "  NOT SCANNED: the list of advisories cannot be reached"
  else
    echo "$out"
    failed=1
  fi
fi
exit $failed
