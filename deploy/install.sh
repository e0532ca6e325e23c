#!/usr/bin/env bash
# Installs tutti from its unpacked archive.
#
#   sudo ./install.sh                          programs to /usr/local, units, users, runtime libraries by apt
#   PREFIX=/opt/tutti ./install.sh             elsewhere
#   DESTDIR=/tmp/image ./install.sh            into an image: no packages, no users, nothing started
set -euo pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}

if [ -z "$destination" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "install.sh: not root; run it with sudo, or set DESTDIR to a folder of yours" >&2
    exit 1
  fi
  missing=()
  while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done <runtime-packages
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
  fi
fi

for program in bin/*; do install -D -m 0755 "$program" "$destination$prefix/$program"; done
for plan in share/plans/*.yaml; do
  install -D -m 0644 "$plan" "$destination$prefix/share/tutti/plans/$(basename "$plan")"
done
# Where bash-completion and zsh look below every prefix that is in XDG_DATA_DIRS or fpath, as /usr/local is.
for program in tutti tutti-coordinator tutti-worker; do
  install -D -m 0644 "share/completions/$program.bash" "$destination$prefix/share/bash-completion/completions/$program"
  install -D -m 0644 "share/completions/$program.zsh" "$destination$prefix/share/zsh/site-functions/_$program"
done
mkdir -p "$destination$prefix/share/doc/tutti"
cp -r share/doc/. "$destination$prefix/share/doc/tutti/"

for unit in systemd/*.service; do
  target=$destination/etc/systemd/system/$(basename "$unit")
  install -D -m 0644 "$unit" "$target"
  sed -i "s|^ExecStart=/usr/local/|ExecStart=$prefix/|" "$target"
done
install -D -m 0644 sysusers.d/tutti.conf "$destination/usr/lib/sysusers.d/tutti.conf"
for file in etc/*.env; do
  # What the administrator has changed stays.
  [ -e "$destination/etc/tutti/$(basename "$file")" ] ||
    install -D -m 0640 "$file" "$destination/etc/tutti/$(basename "$file")"
done

# Both daemons and every user read it.
[ -e "$destination/etc/tutti/tutti.yaml" ] || install -D -m 0644 etc/tutti.yaml "$destination/etc/tutti/tutti.yaml"

if [ -z "$destination" ]; then
  systemd-sysusers /usr/lib/sysusers.d/tutti.conf
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  echo "installed; edit /etc/tutti/tutti.yaml, then on one host:  systemctl enable --now tutti-coordinator"
  echo "and on each host that takes part:                   systemctl enable --now tutti-worker"
fi
