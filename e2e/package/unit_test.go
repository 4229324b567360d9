package package_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// unit gives the values of a directive in an installed unit file.
func unit(name string) map[string][]string {
	values := map[string][]string{}
	raw, err := os.ReadFile(inside("/usr/lib/systemd/system/" + name))
	if err != nil {
		return values
	}
	for line := range strings.Lines(string(raw)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found && !strings.HasPrefix(key, "#") {
			values[key] = append(values[key], value)
		}
	}
	return values
}

func (m *manager) command(name string) (*exec.Cmd, error) {
	u := unit(name)
	if len(u["ExecStart"]) != 1 {
		return nil, fmt.Errorf("%s is not installed", name)
	}
	words := strings.Fields(u["ExecStart"][0])
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", m.log, m.log
	cmd.Env = append([]string{servicePath, "LANG=C.UTF-8"}, u["Environment"]...)
	for _, file := range u["EnvironmentFile"] {
		cmd.Env = append(cmd.Env, settingsOf(file)...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root(), Setpgid: true}
	if len(u["User"]) == 1 {
		credential, err := credentialOf(u["User"][0])
		if err != nil {
			return nil, err
		}
		cmd.SysProcAttr.Credential = credential
	}
	if u["Type"] != nil && u["Type"][0] == "notify" {
		cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+notifySocket)
		if seconds, err := strconv.Atoi(first(u["WatchdogSec"])); err == nil {
			cmd.Env = append(cmd.Env, "WATCHDOG_USEC="+strconv.Itoa(seconds*1e6))
		}
	}
	return cmd, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func settingsOf(file string) []string {
	raw, err := os.ReadFile(inside(file))
	if err != nil {
		return nil
	}
	var values []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			values = append(values, line)
		}
	}
	return values
}

// credentialOf reads the accounts of the stage.
func credentialOf(name string) (*syscall.Credential, error) {
	file, err := os.Open(inside("/etc/passwd"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		parts := strings.Split(lines.Text(), ":")
		if parts[0] == name {
			uid, _ := strconv.Atoi(parts[2])
			gid, _ := strconv.Atoi(parts[3])
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, user.UnknownUserError(name)
}
