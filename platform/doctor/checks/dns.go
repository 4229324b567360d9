package checks

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"panel/platform/doctor"
)

// resolver asks for a name that the panel itself needs. That a name does not exist is an answer too.
func resolver(ctx context.Context, env doctor.Env) doctor.Finding {
	names := neededNames(env)
	if len(names) == 0 {
		return skipped("the panel needs no name: every configured address is a number")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := net.DefaultResolver.LookupHost(ctx, names[0])
	var problem *net.DNSError
	if err == nil || errors.As(err, &problem) && problem.IsNotFound {
		return ok("%s answers", nameServers())
	}
	return failed(doctor.Say("%s does not answer questions for names, for example for %s", nameServers(), names[0]),
		doctor.Say("cat /etc/resolv.conf; resolvectl status; then panelctl doctor"))
}

func neededNames(env doctor.Env) []string {
	var names []string
	for _, setting := range []string{
		"PANEL_LICENSE_URLS", "PANEL_UPDATE_URL", "PANEL_SUPPORT_URL",
		"PANEL_PUBLIC_URL",
	} {
		for _, address := range addresses(env, setting) {
			parsed, err := url.Parse(address)
			if err != nil || parsed.Hostname() == "" || isLoopback(parsed.Hostname()) {
				continue
			}
			if _, err := netip.ParseAddr(parsed.Hostname()); err != nil && !slices.Contains(names, parsed.Hostname()) {
				names = append(names, parsed.Hostname())
			}
		}
	}
	return names
}

func nameServers() string {
	content, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return "/etc/resolv.conf"
	}
	var servers []string
	for line := range strings.SplitSeq(string(content), "\n") {
		if server, found := strings.CutPrefix(line, "nameserver "); found {
			servers = append(servers, strings.TrimSpace(server))
		}
	}
	if len(servers) == 0 {
		return "/etc/resolv.conf"
	}
	return strings.Join(servers, ", ")
}

func publicName(ctx context.Context, env doctor.Env) doctor.Finding {
	address := public(env)
	if address == nil {
		return skipped("no public address configured")
	}
	finding := publicNameOf(ctx, address.Hostname())
	finding.Subject = address.Hostname()
	return finding
}

func publicNameOf(ctx context.Context, name string) doctor.Finding {
	if _, err := netip.ParseAddr(name); err == nil {
		return skipped("the public address is no name")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, name)
	var problem *net.DNSError
	switch {
	case errors.As(err, &problem) && !problem.IsNotFound:
		return failed(doctor.Say("the name server does not answer"),
			doctor.Command("cat /etc/resolv.conf; resolvectl query %s", name))
	case err != nil:
		return failed(doctor.Say("the name does not resolve"),
			doctor.Say("correct the DNS record or PANEL_PUBLIC_URL, then resolvectl query %s", name))
	}
	finding := ok("it is %s", strings.Join(found, ", "))
	finding.Data = map[string]any{"addresses": found}
	return finding
}
