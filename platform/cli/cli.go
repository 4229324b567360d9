// Package cli is the command line of the panel: commands, output forms, exit codes, two languages and the client of the
// API.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
)

// Env is what a command may touch of the outside; tests hand in buffers and maps.
type Env struct {
	Version  string
	In       io.Reader
	Out      io.Writer
	Err      io.Writer
	Getenv   func(string) string
	Terminal Terminal
	Serve    func(context.Context) error // runs the panel until the context ends
	// Modules adds what modules bring: Commands and the fields below, and their words. It is asked once, and not for a
	// command that stands alone.
	Modules func(Env) Env
	// Interface shows the terminal interface until the operator leaves it; nil where there is none.
	Interface func(ctx context.Context, env Env, linear bool) error
	Commands  []func(Env) []*cobra.Command // the commands that modules bring
	Checks    []doctor.Check               // the checks that modules bring
	Repairs   []recovery.Repair            // the repairs that modules bring
	Known     func() doctor.Known          // what this build declares; asked by the commands that need it
	Names     func() []string              // names of all variables of this process

	flags *flags
}

// Terminal says which of the three streams are terminals and how wide the screen is.
type Terminal struct {
	In, Out, Err bool
	Width        int
}

// Main runs the command line and answers the exit code of the process.
func Main(env Env, args []string) int {
	ctx, stop := interruptible()
	defer stop()
	return Run(ctx, env, args)
}

// Run executes one command line within ctx and answers its exit code.
func Run(ctx context.Context, env Env, args []string) int {
	env = env.withDefaults()
	root := env.rootOf(args)
	root.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitDone
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return ExitInterrupted
	}
	failure := asFailure(err)
	env.flags.json = env.flags.json || slices.Contains(args, "--json") // also where an earlier flag was not understood
	env.report(failure)
	return failure.Exit
}

func (env Env) withDefaults() Env {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	if env.In == nil {
		env.In = os.Stdin
	}
	if env.Out == nil {
		env.Out = os.Stdout
	}
	if env.Err == nil {
		env.Err = os.Stderr
	}
	env.flags = &flags{}
	return env
}

// interruptible ends the context at the first SIGINT or SIGTERM; the second one ends the process at once.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, open := <-signals; !open {
			return
		}
		cancel()
		if _, open := <-signals; open {
			os.Exit(ExitInterrupted)
		}
	}()
	return ctx, func() { signal.Stop(signals); close(signals); cancel() }
}

// Tree is the command line without running it, for the pages that describe it.
func Tree(env Env) *cobra.Command {
	env = env.withDefaults()
	return Root(&env)
}

// Root builds the command tree over env.
func Root(env *Env) *cobra.Command {
	root := env.platform()
	env.complete(root)
	return root
}

// standsAlone marks a command that says nothing about modules, so that a line of it starts without them.
const standsAlone = "stands-alone"

// rootOf is the tree for one line.
func (env *Env) rootOf(args []string) *cobra.Command {
	root := env.platform()
	if cmd, _, err := root.Find(args); err == nil && cmd.Annotations[standsAlone] != "" {
		env.Modules, env.Commands = nil, nil
	}
	env.complete(root)
	return root
}

// platform is the tree without the commands of modules.
func (env *Env) platform() *cobra.Command {
	root := &cobra.Command{
		Use:   "panelctl",
		Short: "Control panel for fleets of proxy servers",
		Args:  env.knownCommand,
		RunE:  env.bare,
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	env.flags.bind(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagFailure(cmd, err) })
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := env.flags.check(env); err != nil {
			return err
		}
		env.Step(Say("running %s", cmd.CommandPath()))
		return nil
	}
	root.AddCommand(env.tuiCommand(), env.serveCommand(), env.statusCommand(), env.versionCommand(),
		env.doctorCommand(), env.logsCommand(), env.supportCommand(), env.completionCommand())
	return root
}

// complete adds what modules bring, and what all commands have.
func (env *Env) complete(root *cobra.Command) {
	if env.Modules != nil {
		*env = env.Modules(*env)
		env.Modules = nil
	}
	for _, commands := range env.Commands {
		for _, command := range commands(*env) {
			join(root, command)
		}
	}
	env.dressHelp(root)
	env.strict(root)
}

// join adds a command. What a module adds to a group that another one has begun becomes part of that group.
func join(root, command *cobra.Command) {
	for _, there := range root.Commands() {
		if there.Name() == command.Name() && there.HasSubCommands() && command.HasSubCommands() {
			there.AddCommand(command.Commands()...)
			return
		}
	}
	root.AddCommand(command)
}

// strict makes every wrong argument a usage failure, also of commands that modules bring with cobra's own checks.
func (env *Env) strict(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if !sub.Runnable() && sub.HasSubCommands() {
			sub.Args, sub.RunE = env.knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		sub.Args = usageOnly(sub.Args)
		env.strict(sub)
	}
}

func usageOnly(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var known *Failure
		if err == nil || errors.As(err, &known) {
			return err
		}
		return Usage(Say("%s does not take these arguments", cmd.CommandPath())).
			Advise(helpOf(cmd))
	}
}

// bare is panelctl without arguments: the terminal interface.
func (env *Env) bare(cmd *cobra.Command, _ []string) error { return env.open(cmd, false) }

func (env *Env) knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	failure := Usage(Say("unknown command %q", args[0]))
	cmd.SuggestionsMinimumDistance = 2
	for _, name := range cmd.SuggestionsFor(args[0]) {
		failure.Try = append(failure.Try, Plain(cmd.CommandPath()+" "+name))
	}
	if len(failure.Try) == 0 {
		failure.Try = []Message{helpOf(cmd)}
	}
	return failure
}

// helpOf is the command line that shows everything about a command.
func helpOf(cmd *cobra.Command) Message {
	return Plain(cmd.Root().Name() + " help" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()))
}
