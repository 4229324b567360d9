package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dressHelp replaces cobra's English help by ours: short for -h, long for `help <command>`.
func (env *Env) dressHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(env.Out, env.shortHelp(cmd)) })
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [command]",
		Short:   "Show help; with a command, its long help",
		Long:    "Shows the commands, or everything about one of them: examples, environment and exit codes.",
		Example: "panelctl help status",
		RunE:    func(cmd *cobra.Command, args []string) error { return env.help(cmd.Root(), args) },
	})
}

func (env *Env) help(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return env.write(env.shortHelp(root))
	}
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 || cmd == root {
		return env.knownCommand(root, args)
	}
	return env.write(env.longHelp(cmd))
}

func (env *Env) shortHelp(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(env.T(cmd.Short) + "\n\n" + env.usage(cmd))
	b.WriteString(env.commandList(cmd) + env.flagList(cmd))
	b.WriteString("\n" + env.exitCodes() + "\n")
	return b.String()
}

func (env *Env) longHelp(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(env.T(firstOf(cmd.Long, cmd.Short)) + "\n\n" + env.usage(cmd))
	if len(cmd.Aliases) > 0 {
		b.WriteString("\n" + env.T("Aliases:") + " " + strings.Join(cmd.Aliases, ", ") + "\n")
	}
	if cmd.Example != "" {
		b.WriteString("\n" + env.T("Examples:") + "\n  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ") + "\n")
	}
	b.WriteString(env.commandList(cmd) + env.flagList(cmd) + env.environment())
	b.WriteString("\n" + env.exitCodes() + "\n")
	return b.String()
}

func (env *Env) usage(cmd *cobra.Command) string {
	line := cmd.CommandPath()
	if rest, found := strings.CutPrefix(cmd.Use, cmd.Name()); found {
		line += rest
	}
	if cmd.HasAvailableSubCommands() {
		line += " <" + env.T("command") + ">"
	}
	return env.T("Usage:") + "\n  " + line + " [" + env.T("flags") + "]\n"
}

func (env *Env) commandList(cmd *cobra.Command) string {
	var rows [][2]string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			rows = append(rows, [2]string{nameAndAliases(sub), env.T(sub.Short)})
		}
	}
	return env.section("Commands:", rows)
}

func nameAndAliases(cmd *cobra.Command) string {
	return strings.Join(append([]string{cmd.Name()}, cmd.Aliases...), ", ")
}

func (env *Env) flagList(cmd *cobra.Command) string {
	var rows [][2]string
	cmd.InheritedFlags() // puts the common flags beside the command's own
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			rows = append(rows, [2]string{flagName(f), env.T(f.Usage)})
		}
	})
	return env.section("Flags:", rows)
}

func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if f.Value.Type() != "bool" {
		name += " <" + f.Value.Type() + ">"
	}
	return name
}

// nameColumn is the same in every table of every command: a new row leaves all others as they are. The text of a longer
// name stands in the next line.
const nameColumn = 22

func (env *Env) section(title string, rows [][2]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + env.T(title) + "\n")
	for _, row := range rows {
		name := fmt.Sprintf("%-*s", nameColumn, row[0])
		if utf8.RuneCountInString(row[0]) > nameColumn {
			name = row[0] + "\n  " + strings.Repeat(" ", nameColumn)
		}
		fmt.Fprintf(&b, "  %s  %s\n", name, row[1])
	}
	return b.String()
}

func (env *Env) environment() string {
	return env.section("Environment:", [][2]string{
		{"PANEL_API_URL", env.T("address of the panel, as --api")},
		{"PANEL_API_TOKEN", env.T("session token, as --token")},
		{"PANEL_LANG", env.T("ru: this tool speaks Russian; else LANG decides")},
		{"NO_COLOR", env.T("no colors; CLICOLOR_FORCE=1 forces them")},
	})
}

func (env *Env) exitCodes() string {
	return env.T("Exit codes: 0 done, 1 negative answer or failure, 2 usage, 3 panel or database unreachable, 4 not allowed, 5 conflict, 130 interrupted")
}
