package main

import (
	"fmt"
	"net"
	"strconv"
)

// port answers the remembered port of a service if its process holds it or it is free, else the next free one.
func (s *stand) port(service, process string, first int) (int, error) {
	known := s.memory.Ports[service]
	if known != 0 && (s.memory.Processes[process].alive() || free(known)) {
		return known, nil
	}
	for candidate := first; candidate < first+200; candidate++ {
		if free(candidate) && !s.promised(candidate) {
			s.memory.Ports[service] = candidate
			return candidate, nil
		}
	}
	return 0, fmt.Errorf("find a free port from %d on: all of the next 200 are taken", first)
}

func (s *stand) promised(port int) bool {
	for _, taken := range s.memory.Ports {
		if taken == port {
			return true
		}
	}
	return false
}

func free(port int) bool {
	listener, err := net.Listen("tcp", local(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
