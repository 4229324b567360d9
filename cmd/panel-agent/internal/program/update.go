package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agent"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/install"
	"panel/cmd/panel-agent/internal/update"
)

const (
	buildFlag   = "build"
	watchedFlag = "watched"
)

// handedOn are the flags that another build is started with in place of this one.
func handedOn(cmd *cobra.Command) []string {
	var args []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != buildFlag && f.Name != watchedFlag {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return args
}

// startOver decides who this process is: the agent, the agent of a newer build, or the watcher of one on trial.
func startOver(o agent.Options, s runSettings, args []string) error {
	self := update.Self{
		DataDir: o.DataDir, Executable: o.Executable, Build: o.Build, Args: args, Clock: o.Clock, Patience: s.patience,
		Log: o.Log,
	}
	decision, build, err := update.Decide(self)
	if err != nil {
		return err
	}
	switch decision {
	case update.Replace:
		err := update.Become(update.Path(o.DataDir, build), append([]string{"--" + buildFlag, build.SHA256},
			args...)...)
		o.Log.Error("the build of the last update cannot be started; the installed one goes on", zap.Error(err))
		if err := update.Drop(o.DataDir); err != nil {
			return err
		}
	case update.Supervise:
		return watch(self, build)
	case update.Work:
	}
	becomes, err := serve(o)
	if err != nil || !becomes {
		return err
	}
	return again(self)
}

// again lets this build start over under the same process number.
func again(self update.Self) error {
	args := self.Args
	if self.Build != "" {
		args = append([]string{"--" + buildFlag, self.Build}, args...)
	}
	return update.Become(self.Executable, args...)
}

func watch(self update.Self, build update.Build) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	watcher := update.Watcher{Self: self, Signals: signals}
	update.ReapInherited()
	over, code, err := watcher.Run(build)
	if err != nil {
		return err
	}
	if over {
		return again(self)
	}
	os.Exit(code)
	return nil
}

// selfTest proves that this build starts, reads the identity of this server and accepts the configuration that it
// serves.
func selfTest(cmd *cobra.Command, version, dir string) error {
	if _, err := identity.Load(dir); err != nil {
		return err
	}
	config, found, err := install.Installed(dir)
	if err != nil {
		return err
	}
	if found && config.HasCore() {
		if err := core.Check(bytes.NewReader(config.Core), filepath.Join(dir, "core")); err != nil {
			return fmt.Errorf("the core of this build refuses the installed configuration: %w", err)
		}
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(update.SelfTested{Version: version})
}
