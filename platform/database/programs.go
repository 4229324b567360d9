package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"panel/platform/pattern"
)

// programs is a folder with PostgreSQL's own programs and their major version.
type programs struct {
	dir   string
	major int
}

// HowToGetPostgres is the advice that ends every message about missing programs.
const HowToGetPostgres = "install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), set PANEL_PG_BIN to the folder with its programs, " +
	"or set PANEL_DB_URL to a database server"

// findPrograms looks into the given folder, else into the operating system's packages (newest first), else along PATH.
func findPrograms(ctx context.Context, given string, as *account) (programs, error) {
	for _, dir := range programFolders(given) {
		if !hasProgram(dir, "postgres") || !hasProgram(dir, "initdb") {
			continue
		}
		major, err := askMajor(ctx, dir, as)
		if err != nil {
			return programs{}, err
		}
		return programs{dir: dir, major: major}, nil
	}
	if given != "" {
		return programs{}, fmt.Errorf(
			"the private database cannot start: there is no postgres and initdb in the folder of PANEL_PG_BIN; %s",
			HowToGetPostgres,
		)
	}
	return programs{}, errors.New("the private database cannot start: PostgreSQL is not installed; " + HowToGetPostgres)
}

func programFolders(given string) []string {
	if given != "" {
		return []string{given}
	}
	packaged, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(packaged, func(a, b string) int { return folderMajor(b) - folderMajor(a) })
	if found, err := exec.LookPath("postgres"); err == nil {
		packaged = append(packaged, filepath.Dir(found))
	}
	return packaged
}

func folderMajor(dir string) int {
	major, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return major
}

func hasProgram(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

var versionPattern = pattern.Of(`PostgreSQL\) (\d+)`)

func askMajor(ctx context.Context, dir string, as *account) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	cmd.Dir, cmd.SysProcAttr = "/", as.attributes()
	said, err := cmd.CombinedOutput()
	found := versionPattern().FindSubmatch(said)
	if err != nil || found == nil {
		return 0, fmt.Errorf(
			"the PostgreSQL programs in %s cannot be run as %s: every folder above them must be open to that user; %s",
			dir,
			as,
			HowToGetPostgres,
		)
	}
	return strconv.Atoi(string(found[1]))
}

// account is the user that the private server runs as; nil is the user of the panel itself.
type account struct {
	name     string
	uid, gid int
}

// serverAccount picks the owner of an existing cluster, else the user postgres or nobody when the panel is root:
// PostgreSQL refuses to run as root.
func serverAccount(cluster string) (*account, error) {
	owner, exists := ownerOf(cluster)
	if os.Geteuid() != 0 {
		if exists && owner.uid != os.Geteuid() {
			return nil, fmt.Errorf(
				"the private database in %s belongs to another user (uid %d): start the panel as that user or as root",
				cluster,
				owner.uid,
			)
		}
		return nil, nil
	}
	if exists && owner.uid != 0 {
		return owner, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := lookUp(name); err == nil {
			return found, nil
		}
	}
	return nil, errors.New(
		"the private database cannot start: PostgreSQL does not run as root, and there is no user postgres or nobody; start the panel as an ordinary user",
	)
}

func ownerOf(path string) (*account, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, false
	}
	return &account{name: "uid " + strconv.Itoa(int(owner.Uid)), uid: int(owner.Uid), gid: int(owner.Gid)}, true
}

func lookUp(name string) (*account, error) {
	found, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(found.Gid)
	return &account{name: name, uid: uid, gid: gid}, err
}

// attributes starts a program as the account and in a process group of its own, so that Ctrl-C reaches the panel alone.
func (a *account) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		attributes.Credential = &syscall.Credential{
			Uid: uint32(a.uid),
			Gid: uint32(a.gid),
		} //nolint:gosec // ids of the system
	}
	return attributes
}

func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

func (a *account) String() string {
	if a == nil {
		return "this user"
	}
	return a.name
}
