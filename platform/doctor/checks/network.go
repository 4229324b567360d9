package checks

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"

	"panel/platform/doctor"
)

// licenseServer asks the addresses in the panel's order; one that answers anything at all is reachable.
func licenseServer(ctx context.Context, env doctor.Env) doctor.Finding {
	return outgoing(ctx, env, "PANEL_LICENSE_URLS", skipped("no license server is configured"),
		doctor.Say("check the network and PANEL_LICENSE_URLS; the license holds for its grace period: panelctl license status"))
}

func updateServer(ctx context.Context, env doctor.Env) doctor.Finding {
	return outgoing(ctx, env, "PANEL_UPDATE_URL", skipped("no release server is configured"),
		doctor.Say("check the network and PANEL_UPDATE_URL"))
}

// outgoing reaches for the addresses of a setting the way the panel does, through its proxy.
func outgoing(ctx context.Context, env doctor.Env, name string, none doctor.Finding, do doctor.Text) doctor.Finding {
	list := addresses(env, name)
	if len(list) == 0 {
		return none
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answers := make(chan error, len(list))
	for _, address := range list {
		go func() { answers <- reach(ctx, env, address) }()
	}
	var last error
	for range list {
		if last = <-answers; last == nil {
			finding := ok("it answers")
			finding.Subject = hostOf(list[0])
			return finding
		}
	}
	return doctor.Finding{Status: doctor.Warning, Subject: hostOf(list[0]), Found: doctor.Say("it does not answer: %s",
		whyNot(last)), Do: do}
}

func addresses(env doctor.Env, name string) []string {
	var list []string
	for address := range strings.SplitSeq(env.Getenv(name), ",") {
		if address = strings.TrimSpace(address); address != "" {
			list = append(list, address)
		}
	}
	return list
}

var errUnreadable = errors.New("the address cannot be read")

func reach(ctx context.Context, env doctor.Env, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errUnreadable
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if proxy, err := url.Parse(env.Getenv("PANEL_HTTP_PROXY")); err == nil && proxy.Host != "" {
		transport.Proxy = http.ProxyURL(proxy)
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request,
	) error {
		return http.ErrUseLastResponse
	}}
	response, err := env.Ask(client, request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// whyNot names the cause of silence in words that an operator can act on.
func whyNot(err error) doctor.Text {
	var name *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return doctor.Say("connection refused")
	case errors.As(err, &name) && name.IsNotFound:
		return doctor.Say("the name %s does not resolve", name.Name)
	case errors.As(err, &name):
		return doctor.Say("the name server does not answer")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return doctor.Say("no answer within %d s", int(patience.Seconds()))
	case errors.Is(err, errUnreadable):
		return doctor.Say("the address cannot be read")
	}
	return words(err)
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// public is the panel's own address as browsers see it; nil where there is none to check.
func public(env doctor.Env) *url.URL {
	parsed, err := url.Parse(env.Getenv("PANEL_PUBLIC_URL"))
	if err != nil || parsed.Hostname() == "" {
		return nil
	}
	return parsed
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
