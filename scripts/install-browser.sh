#!/usr/bin/env bash
# The console tests need a browser. It is installed where the package manager runs without a password;
# otherwise the tests print instructions.
set -euo pipefail

[[ -z ${SHEAF_CHROMIUM:-} ]] || exit 0
for name in chromium-headless-shell chromium chromium-browser; do
  ! command -v "$name" >/dev/null || exit 0
done
[[ $EUID -eq 0 ]] && command -v apt-get >/dev/null || exit 0

echo 'installing Chromium for the tests of the console'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { apt-get install --yes --no-install-recommends "$1"; }
# The first takes less time for the same pages; older releases of Debian have only the second.
{ apt-get update && { install chromium-headless-shell || install chromium; }; } </dev/null >"$log" 2>&1 || tail -n 20 "$log"
