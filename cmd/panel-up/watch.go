package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// order is how processes are stopped: whoever asks others goes first.
var order = []string{"agent", "panel", "authority", "target"}

// watch waits for Ctrl-C, which stops everything, or for another make run, which takes over.
func (s *stand) watch(ctx context.Context) error {
	asked := handOver()
	for {
		select {
		case <-ctx.Done():
			s.takeDown()
			return nil
		case <-asked:
			fmt.Fprintln(os.Stderr, "  another make run has taken over; everything goes on")
			return errHandedOver
		case name := <-s.exited:
			if !s.running(name) {
				fmt.Fprintf(os.Stderr, "  %s has ended; its log is %s; \"make run\" starts it again\n", name,
					s.logOf(name))
			}
		}
	}
}

func (s *stand) takeDown() {
	fmt.Fprintln(os.Stderr, "\n  stopping; the data stays in", s.folder)
	for _, name := range order {
		s.memory.Processes[name].stop()
	}
	os.Remove(s.path("ready.json"))
}

// pids lists what runs, for scripts.
func (s *stand) pids() map[string]int {
	pids := map[string]int{"panel-up": os.Getpid()}
	for name, p := range s.memory.Processes {
		if slices.Contains(order, name) && p.alive() {
			pids[name] = p.PID
		}
	}
	if pid := databaseOf(s.path("data", "postgres", "data", "postmaster.pid")); pid > 0 {
		pids["database"] = pid
	}
	if pid := childOf(pids["agent"], "core"); pid > 0 {
		pids["core"] = pid
	}
	return pids
}

// databaseOf reads the first line of the file in which PostgreSQL keeps its process number.
func databaseOf(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// childOf finds the newest child of a process that runs with the given first argument.
func childOf(parent int, argument string) int {
	found := 0
	for _, child := range childrenOf(parent) {
		arguments, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if parts := strings.Split(string(arguments), "\x00"); len(parts) > 1 && parts[1] == argument {
			found = max(found, child)
		}
	}
	return found
}

// childrenOf asks every thread, because a child belongs to the thread that started it.
func childrenOf(parent int) []int {
	var children []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(content)) {
			if pid, err := strconv.Atoi(word); err == nil {
				children = append(children, pid)
			}
		}
	}
	return children
}
