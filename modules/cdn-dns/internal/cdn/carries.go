package cdn

import (
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// carriage is what a network passes on.
type carriage struct {
	transports []string
	tls, plain []int // ports at which its own listeners are
}

// Cloudflare passes HTTP and WebSocket on at these ports and nothing else.
// Source: https://developers.cloudflare.com/fundamentals/reference/network-ports/
//
// The others listen at the ports of HTTP and HTTPS alone. None but Cloudflare passes gRPC on, and Yandex Cloud CDN does
// not upgrade connections.
var carriages = map[string]carriage{
	"cloudflare": {
		transports: []string{"ws", "httpupgrade", "xhttp", transportGRPC},
		tls:        []int{portHTTPS, 2053, 2083, 2087, 2096, 8443},
		plain:      []int{portHTTP, 2052, 2082, 2086, 2095, 8080, 8880},
	},
	"bunny":  {transports: []string{"ws", "xhttp"}, tls: []int{portHTTPS}, plain: []int{portHTTP}},
	"yandex": {transports: []string{"xhttp"}, tls: []int{portHTTPS}, plain: []int{portHTTP}},
}

// Ports of HTTP.
const (
	portHTTP  = 80
	portHTTPS = 443
)

// Carriage tells what a network passes on: transports, and the ports of entries with TLS and without.
func Carriage(network string) (transports []string, tls, plain string) {
	c := carriages[network]
	return slices.Clone(c.transports), listed(c.tls), listed(c.plain)
}

// gRPC is passed on over TLS at one port.
const transportGRPC = "grpc"

// carries tells whether a network passes on what an entry speaks. Otherwise it says in a word what is in the way, port
// or transport, and what the network would pass on.
func carries(network string, e flowsapi.Entry) (problem string, allowed string) {
	c := carriages[network]
	ports := c.plain
	if e.Security == securityTLS {
		ports = c.tls
	}
	if e.Transport == transportGRPC {
		ports = []int{portHTTPS}
	}
	if !slices.Contains(c.transports, e.Transport) || !slices.Contains([]string{securityTLS, "none", ""}, e.Security) ||
		e.Transport == transportGRPC && e.Security != securityTLS {
		return "transport", strings.Join(c.transports, ", ")
	}
	port, err := strconv.Atoi(e.Port)
	if err != nil || !slices.Contains(ports, port) {
		return "port", listed(ports)
	}
	return "", ""
}

const securityTLS = "tls"

func listed(ports []int) string {
	words := make([]string, len(ports))
	for i, port := range ports {
		words[i] = strconv.Itoa(port)
	}
	return strings.Join(words, ", ")
}
