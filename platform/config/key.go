package config

import (
	"fmt"
	"net"
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
}

// Form says in words how a value must look; the zero form takes any text.
type Form string

// The forms that a key may ask for.
const (
	Text     Form = ""
	Number   Form = "a whole number, 0 or more"
	PortForm Form = "a port number from 1 to 65535"
	Switch   Form = "true or false"
	URL      Form = "an address that begins with http:// or https://"
	Listen   Form = "host:port"
	Host     Form = "an IP address or a host name"
	oneOfIs       = "one of: "
)

// OneOf is the form of a value that must be one of the words.
func OneOf(words ...string) Form { return Form(oneOfIs + strings.Join(words, ", ")) }

func (k Key) check(value string) error {
	if value == "" || k.Form.accepts(value) {
		return nil
	}
	return fmt.Errorf("%s is not usable: it must be %s (%s); correct it in the environment of the panel and start again",
		k.Name, k.Form, k.Summary)
}

func (f Form) accepts(value string) bool {
	switch f {
	case Number:
		return isNumber(value, 0, 1<<31-1)
	case PortForm:
		return isNumber(value, 1, 65535)
	case Switch:
		_, err := strconv.ParseBool(value)
		return err == nil
	case URL:
		return isURL(value)
	case Listen:
		_, port, err := net.SplitHostPort(value)
		return err == nil && isNumber(port, 0, 65535)
	case Host:
		return !strings.ContainsAny(value, "/ \t@")
	default:
		return f.lists(value)
	}
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
