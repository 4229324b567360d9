package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (env *Env) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print a completion script for a shell",
		Long:      "Prints a script that completes commands and flags of panelctl in bash, zsh or fish.",
		Example:   "panelctl completion bash > /etc/bash_completion.d/panelctl",
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args:      shellName,
		RunE:      func(cmd *cobra.Command, args []string) error { return completion(cmd.Root(), args[0]) },
	}
}

func shellName(_ *cobra.Command, args []string) error {
	if len(args) == 1 && (args[0] == "bash" || args[0] == "zsh" || args[0] == "fish") {
		return nil
	}
	return Usage(Say("name one shell: bash, zsh or fish")).Advise(Plain("panelctl help completion"))
}

func completion(root *cobra.Command, shell string) (err error) {
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(root.OutOrStdout(), true)
	case "zsh":
		err = root.GenZshCompletion(root.OutOrStdout())
	case "fish":
		err = root.GenFishCompletion(root.OutOrStdout(), true)
	}
	if err != nil {
		return fmt.Errorf("print the completion script: %w", err)
	}
	return nil
}
