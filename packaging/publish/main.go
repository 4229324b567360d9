// Command publish signs a release: a folder of executables becomes one that panels and agents update from.
//
//	publish key <file>                                   make a signing key; its public half is printed
//	publish release -key <file> -version 1.5.0 <folder>  write manifest.json and its signature into the folder
//
// Executables in the folder are named <program>-<os>-<arch>, for example panelctl-linux-amd64. The password of a sealed
// key comes from the standard input.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"panel/platform/release"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: publish key <file> | publish release -key <file> -version <version> [flags] <folder>")

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "key":
		return makeKey(args[1])
	case len(args) > 1 && args[0] == "release":
		return publish(args[1:])
	}
	return errUsage
}

func makeKey(path string) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is already there", path)
	}
	key, err := release.NewKey()
	if err != nil {
		return err
	}
	if err := key.Save(path, password()); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, key.Public())
	return nil
}

// password is one line of the standard input; an empty one leaves the key unsealed.
func password() string {
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return ""
	}
	return strings.TrimRight(line, "\r\n")
}

func publish(args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	keyFile := flags.String("key", "", "signing key")
	var m release.Manifest
	flags.StringVar(&m.Version, "version", "", "version of the release")
	flags.StringVar(&m.Channel, "channel", "stable", "stable or dev")
	flags.StringVar(&m.MinPanel, "min-panel", "", "oldest panel that may install it")
	flags.StringVar(&m.MinAgent, "min-agent", "", "oldest agent that it talks to")
	flags.BoolVar(&m.Breaking, "breaking", false, "something must be done by hand")
	notes := flags.String("notes", "", "file with what is new")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 || *keyFile == "" {
		return errUsage
	}
	folder := flags.Arg(0)
	if err := describe(&m, folder, *notes); err != nil {
		return err
	}
	key, err := release.LoadKey(*keyFile, password())
	if err != nil {
		return err
	}
	path, err := key.Write(folder, m)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, path)
	return nil
}

func describe(m *release.Manifest, folder, notes string) error {
	//nolint:forbidigo // whoever publishes lives in real time
	m.ReleasedAt = time.Now().UTC().Truncate(time.Second)
	if notes != "" {
		text, err := os.ReadFile(notes)
		if err != nil {
			return fmt.Errorf("read the notes: %w", err)
		}
		m.Notes = string(text)
	}
	for _, program := range []string{release.Panel, release.Agent} {
		for _, arch := range []string{"amd64", "arm64"} {
			file := filepath.Join(folder, program+"-linux-"+arch)
			if _, err := os.Stat(file); err != nil {
				continue
			}
			if err := m.Add(program, "linux/"+arch, file); err != nil {
				return err
			}
		}
	}
	if len(m.Artefacts) == 0 {
		return fmt.Errorf("%s holds no executable of the form panelctl-linux-amd64", folder)
	}
	return nil
}
