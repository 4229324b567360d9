package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Key is one PANEL_ variable: what it is called, what it means and what it must look like.
type Key struct {
	Name    string
	Default string
	Summary string
	Secret  bool
	Form    Form
	// Min and Max are the least and the largest value of a number, and the shortest and longest length of a text in
	// bytes. A number must declare Max; a text without one may have maxText bytes.
	Min, Max int
}

// Form says in words how a value must look; the zero form takes any text.
type Form string

// The forms that a key may ask for.
const (
	Text     Form = ""
	Number   Form = "a whole number"
	Switch   Form = "true or false"
	URL      Form = "an address that begins with http:// or https://"
	URLs     Form = "addresses that begin with http:// or https://, separated by commas"
	Listen   Form = "host:port"
	Host     Form = "an IP address or a host name"
	Networks Form = "IP addresses or networks, separated by commas"
	oneOfIs       = "one of: "
)

const (
	maxText = 4096
	maxPort = 65535
)

// OneOf is the form of a value that must be one of the words.
func OneOf(words ...string) Form { return Form(oneOfIs + strings.Join(words, ", ")) }

// Wanted says in English what a value must look like, with its bounds.
func (k Key) Wanted() string {
	switch {
	case k.Form == Number:
		return fmt.Sprintf("%s from %d to %d", k.Form, k.Min, k.Max)
	case k.Form == Text && k.Min > 0:
		return fmt.Sprintf("a text of %d to %d bytes", k.Min, k.Longest())
	case k.Form == Text:
		return fmt.Sprintf("a text of at most %d bytes", k.Longest())
	}
	return string(k.Form)
}

// Longest is the length in bytes that a text may have.
func (k Key) Longest() int {
	if k.Max > 0 {
		return k.Max
	}
	return maxText
}

// declarable refuses a declaration that bounds nothing.
func (k Key) declarable() error {
	switch {
	case !strings.HasPrefix(k.Name, prefix):
		return fmt.Errorf("the key %q cannot be declared: names begin with %s", k.Name, prefix)
	case k.Form == Number && k.Max <= k.Min:
		return fmt.Errorf("the key %s cannot be declared: a number needs its least and its largest value", k.Name)
	case k.Check(k.Default) != nil:
		return fmt.Errorf("the key %s cannot be declared: its default is not %s", k.Name, k.Wanted())
	}
	return nil
}

// Check tells why the panel does not start with a value, without repeating it; an empty one is an unset one.
func (k Key) Check(value string) error {
	if value == "" || k.accepts(value) {
		return nil
	}
	return fmt.Errorf("%s is not usable: it must be %s (%s); correct it in the environment of the panel and start again",
		k.Name, k.Wanted(), k.Summary)
}

func (k Key) accepts(value string) bool {
	switch k.Form {
	case Number:
		return isNumber(value, k.Min, k.Max)
	case Text:
		return len(value) >= k.Min && len(value) <= k.Longest()
	default:
		return len(value) <= maxText && k.Form.accepts(value)
	}
}

func (f Form) accepts(value string) bool {
	switch f {
	case Switch:
		_, err := strconv.ParseBool(value)
		return err == nil
	case URL:
		return isURL(value)
	case URLs:
		return all(value, isURL)
	case Networks:
		return all(value, isNetwork)
	case Listen:
		_, port, err := net.SplitHostPort(value)
		return err == nil && isNumber(port, 1, maxPort)
	case Host:
		return !strings.ContainsAny(value, "/ \t@")
	default:
		return f.lists(value)
	}
}

// Network reads an address or a network; an address is the network of itself alone.
func Network(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

func isNetwork(text string) bool {
	_, err := Network(text)
	return err == nil
}

// all asks each part of a list; a list needs at least one part.
func all(list string, accepts func(string) bool) bool {
	found := parts(list)
	return len(found) > 0 && !slices.ContainsFunc(found, func(part string) bool { return !accepts(part) })
}

func parts(list string) []string {
	var found []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			found = append(found, part)
		}
	}
	return found
}

func (f Form) lists(value string) bool {
	words, isList := strings.CutPrefix(string(f), oneOfIs)
	return !isList || slices.Contains(strings.Split(words, ", "), value)
}

func isNumber(value string, low, high int) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n >= low && n <= high
}

func isURL(value string) bool {
	parsed, err := url.Parse(value)
	return err == nil && parsed.Host != "" && (parsed.Scheme == "http" || parsed.Scheme == "https")
}
