package app

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/module"
	"panel/platform/tui"
	"panel/platform/version"
)

// Main is the whole of panelctl: it runs one command line and gives the exit code. A line that needs no module does not
// ask for features.
func Main(build string, features func() []module.Module, args []string) int {
	config.Isolate()
	version.Version = build
	env := cli.Env{
		Version: build, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: config.Foreign, Names: config.Names,
		Terminal: cli.Terminal{
			In: isTerminal(os.Stdin), Out: isTerminal(os.Stdout), Err: isTerminal(os.Stderr), Width: width(os.Stdout),
		},
	}
	env.Modules = func(env cli.Env) cli.Env { return CommandLine(env, features()) }
	return cli.Main(env, args)
}

// CommandLine gives env the panel itself and what the modules bring to the command line.
func CommandLine(env cli.Env, features []module.Module) cli.Env {
	modules := With(features)
	env.Serve = func(ctx context.Context) error { return Serve(ctx, features) }
	env.Interface = tui.Run
	Speak(modules)
	env.Repairs = append(env.Repairs, Repairs(modules)...)
	env.Checks, env.Known = append(env.Checks, Checks(modules)...), func() doctor.Known { return known(modules) }
	for _, m := range modules {
		if m.Commands != nil {
			env.Commands = append(env.Commands, func(e cli.Env) []*cobra.Command { return m.Commands(e) })
		}
	}
	return env
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

func width(file *os.File) int {
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
