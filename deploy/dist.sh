#!/usr/bin/env bash
# Makes OUT/tutti-VERSION-ARCH.tar.gz from built programs: deploy/dist.sh BIN_FOLDER OUT_FOLDER. `./dev dist` calls it.
set -euo pipefail

bin=$(readlink -f "$1")
mkdir -p "$2"
out=$(readlink -f "$2")
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"

programs=(tutti tutti-coordinator tutti-worker)
version=$("$bin/tutti" --no-config version | awk 'NR == 1 {print $2}')
name=tutti-$version-$(dpkg --print-architecture)
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
tree=$staging/$name
mkdir -p "$tree"/{bin,share/doc/deploy,share/completions}

for program in "${programs[@]}"; do
  install -m 0755 "$bin/$program" "$tree/bin/$program"
  strip --strip-unneeded "$tree/bin/$program"
done

# The packages that hold the libraries which the programs load. ldd may name a library below /lib, which is a link to
# /usr/lib on merged systems: each library has to be known to dpkg by its path, by that below /usr, or by what it is a link to.
runtime_packages() {
  local libraries targets known paths i
  mapfile -t libraries < <(ldd "${programs[@]/#/$tree/bin/}" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u)
  mapfile -t targets < <(readlink -f "${libraries[@]}")
  known=$(dpkg -S "${libraries[@]}" "${libraries[@]/#/\/usr}" "${targets[@]}" 2>/dev/null || true)
  paths=$(awk '{print $2}' <<<"$known")
  for i in "${!libraries[@]}"; do
    if ! grep -qxF -e "${libraries[i]}" -e "/usr${libraries[i]}" -e "${targets[i]}" <<<"$paths"; then
      echo "dist: no package owns ${libraries[i]}" >&2
      return 1
    fi
  done
  awk -F: '{print $1}' <<<"$known" | sort -u
}
packages=$(runtime_packages)
[ -n "$packages" ]
# The lab calls ip.
printf '%s\n' "$packages" iproute2 >"$tree/runtime-packages"

for shell in bash zsh; do
  "$bin/tutti" --no-config completion "$shell" >"$tree/share/completions/tutti.$shell"
  for daemon in tutti-coordinator tutti-worker; do
    "$bin/$daemon" --completion "$shell" >"$tree/share/completions/$daemon.$shell"
  done
done
cp -r plans "$tree/share/plans"
cp -r deploy/systemd deploy/sysusers.d deploy/etc "$tree/"
# As they lie here, so that the links of the documents lead somewhere.
cp -r README.md CHANGELOG.md CONTRIBUTING.md docs plans "$tree/share/doc/"
cp -r deploy/ci "$tree/share/doc/deploy/"
install -m 0755 deploy/install.sh "$tree/install.sh"

tar -C "$staging" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
