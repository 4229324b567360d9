#!/bin/sh
# Installs or updates the panel's agent on this server. Running it again is safe: what is right already stays as it is.
#
#   (printf 'PANEL_ENROLL_TOKEN=%s\n' TOKEN; curl -fsSL <panel>/install/agent.sh) | sudo sh -s -- [--panel URL] [--name NAME] [--update-key KEY] [--without-firewall]
#
# The token comes on standard input, before this script: the arguments of a process are there for every user to read.
# Without a token it renews the program and the service of a server that is enrolled: curl -fsSL <panel>/install/agent.sh | sudo sh
# With --without-firewall the service may not block addresses: it lacks CAP_NET_ADMIN until this runs without the option.
#
# What it changes:
#   user     panel-agent, without login and without sudo
#   folders  /opt/panel-agent (the executable), /etc/panel-agent (identity and last configuration, owned by the agent)
#   service  /etc/systemd/system/panel-agent.service
#   network  only outbound, to the panel; proxy ports are opened when a flow is installed
#   firewall a table of its own (inet panel_agent) while addresses are blocked, for the ports of its listeners alone
set -eu

panel=@PANEL@
name=""
key=""
rights="CAP_NET_BIND_SERVICE CAP_NET_ADMIN"
say() { printf '%s\n' "$*"; }
stop() { printf 'panel-agent: %s\n' "$*" >&2; exit 1; }

main() {
	while [ $# -gt 0 ]; do
		case "$1" in
		--panel) panel="${2:?--panel needs an address}"; shift 2 ;;
		--name) name="${2:?--name needs a name}"; shift 2 ;;
		--update-key) key="${2:?--update-key needs a key}"; shift 2 ;;
		--without-firewall) rights=CAP_NET_BIND_SERVICE; shift ;;
		*) stop "unknown option $1; known: --panel, --name, --update-key, --without-firewall" ;;
		esac
	done
	[ "$(id -u)" = 0 ] || stop "run this as root, for example with sudo"
	[ "$(uname -s)" = Linux ] || stop "this system is not Linux"
	case "$(uname -m)" in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) stop "there is no agent for the processor $(uname -m)" ;;
	esac
	command -v systemctl >/dev/null || stop "systemd is needed; without it run the executable under your own supervisor: panel-agent run"
	say "Installing the agent of $panel: user and service panel-agent, folders /opt/panel-agent and /etc/panel-agent"
	make_user
	install_program
	enroll
	install_service
	say "Done. The node appears in the panel within seconds."
}

make_user() {
	id panel-agent >/dev/null 2>&1 && return
	useradd --system --home-dir /etc/panel-agent --no-create-home --shell /usr/sbin/nologin panel-agent
	say "made the user panel-agent"
}

# The checksum comes in a header of the same answer; a cut or changed download is refused.
install_program() {
	install -d -m 755 /opt/panel-agent
	install -d -m 700 -o panel-agent -g panel-agent /etc/panel-agent
	fresh=$(mktemp /opt/panel-agent/.new.XXXXXX)
	headers=$(mktemp)
	trap 'rm -f "$fresh" "$headers"' EXIT
	curl -fsSL -D "$headers" -o "$fresh" "$panel/install/agent/linux/$arch" || stop "the panel at $panel did not give the agent; is it reachable from here?"
	wanted=$(tr -d '\r' <"$headers" | awk 'tolower($1) == "x-checksum-sha256:" { print $2 }')
	found=$(sha256sum "$fresh" | cut -d ' ' -f 1)
	[ -n "$wanted" ] && [ "$wanted" = "$found" ] || stop "the download is damaged; run this again"
	chmod 755 "$fresh"
	mv -f "$fresh" /opt/panel-agent/panel-agent
	say "installed /opt/panel-agent/panel-agent ($found)"
}

enroll() {
	if [ -z "${PANEL_ENROLL_TOKEN:-}" ]; then
		[ -n "$(ls -A /etc/panel-agent)" ] || stop "PANEL_ENROLL_TOKEN is not set; copy the whole line from the panel"
		say "kept the identity that this server has"
		return
	fi
	set -- --panel "$panel" --data /etc/panel-agent --token-stdin
	[ -z "$name" ] || set -- "$@" --name "$name"
	if [ -n "$key" ] && /opt/panel-agent/panel-agent enroll --help | grep -q -- --update-key; then
		set -- "$@" --update-key "$key"
	fi
	printf '%s' "$PANEL_ENROLL_TOKEN" | /opt/panel-agent/panel-agent enroll "$@" || stop "this server was not enrolled; the line above says why"
	chown -R panel-agent:panel-agent /etc/panel-agent
}

install_service() {
	cat >/etc/systemd/system/panel-agent.service <<-UNIT
		[Unit]
		Description=Agent of the panel
		After=network-online.target
		Wants=network-online.target

		[Service]
		User=panel-agent
		ExecStart=/opt/panel-agent/panel-agent run --data /etc/panel-agent
		KillMode=mixed
		Restart=always
		RestartSec=2
		LimitNOFILE=1048576
		AmbientCapabilities=$rights
		CapabilityBoundingSet=$rights
		RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
		NoNewPrivileges=yes
		ProtectSystem=strict
		ReadWritePaths=/etc/panel-agent
		ProtectHome=yes
		PrivateTmp=yes
		ProtectKernelTunables=yes
		ProtectKernelModules=yes
		ProtectControlGroups=yes
		RestrictSUIDSGID=yes

		[Install]
		WantedBy=multi-user.target
	UNIT
	systemctl daemon-reload
	systemctl enable --quiet panel-agent
	systemctl restart panel-agent
	say "started the service panel-agent"
}

main "$@"
