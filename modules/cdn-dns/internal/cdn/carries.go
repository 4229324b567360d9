package cdn

import (
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// Cloudflare passes HTTP and WebSocket on at these ports and nothing else.
// Source: https://developers.cloudflare.com/fundamentals/reference/network-ports/
var (
	cloudflareTLS   = []int{443, 2053, 2083, 2087, 2096, 8443}
	cloudflarePlain = []int{80, 2052, 2082, 2086, 2095, 8080, 8880}
)

// portHTTPS is the only port at which Cloudflare passes gRPC on.
const portHTTPS = 443

// carries tells whether Cloudflare passes on what an entry speaks. Otherwise it says in a word what is in the way, port
// or transport, and what it would pass on.
func carries(e flowsapi.Entry) (problem string, allowed string) {
	ports := cloudflarePlain
	if e.Security == "tls" {
		ports = cloudflareTLS
	}
	if e.Transport == "grpc" {
		ports = []int{portHTTPS}
	}
	transports := []string{"ws", "httpupgrade", "xhttp", "grpc"}
	if !slices.Contains(transports, e.Transport) || !slices.Contains([]string{"tls", "none", ""}, e.Security) ||
		e.Transport == "grpc" && e.Security != "tls" {
		return "transport", "ws, httpupgrade, xhttp, grpc"
	}
	port, err := strconv.Atoi(e.Port)
	if err != nil || !slices.Contains(ports, port) {
		return "port", listed(ports)
	}
	return "", ""
}

func listed(ports []int) string {
	words := make([]string, len(ports))
	for i, port := range ports {
		words[i] = strconv.Itoa(port)
	}
	return strings.Join(words, ", ")
}
