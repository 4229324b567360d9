package console

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/offline"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// folderOf is PANEL_BACKUP_DIR, or its default.
func (t *tool) folderOf(cfg *config.Config) string {
	if cfg.Given(t.settings.Folder) {
		return cfg.Path(t.settings.Folder)
	}
	return filepath.Join(cfg.DataDir(), "backups")
}

// The variables that keep secrets out of the argument list.
const (
	placeSecret     = "PANEL_BACKUP_SECRET"
	passphraseGiven = "PANEL_BACKUP_PASSPHRASE"
)

// placeFlags say where backups are.
type placeFlags struct {
	place  string
	number int
}

func (f *placeFlags) bind(c *cobra.Command) {
	c.Flags().StringVar(&f.place, "place", "",
		"a folder, or a JSON file with a destination or a profile; its secret may stand in PANEL_BACKUP_SECRET")
	c.Flags().IntVar(&f.number, "destination", 1, "which destination of a profile, counted from 1")
}

// keyFlags say what opens a backup.
type keyFlags struct{ identity, old string }

func (f *keyFlags) bind(c *cobra.Command) {
	c.Flags().StringVar(&f.identity, "identity", "",
		"file with the age identity of the backup; a passphrase is asked for, or taken from PANEL_BACKUP_PASSPHRASE")
	c.Flags().StringVar(&f.old, "old-key", "", "file with the master key that the panel of the backup had")
}

func (f *keyFlags) read(env cli.Env) (artefact.Keys, error) {
	keys := artefact.Keys{Passphrase: env.Getenv(passphraseGiven)}
	var err error
	if f.identity != "" {
		if keys.Identity, err = readWord(f.identity); err != nil {
			return keys, err
		}
	}
	if f.old != "" {
		old, err := readWord(f.old)
		if err != nil {
			return keys, err
		}
		keys.Masters = append(keys.Masters, old)
	}
	return keys, nil
}

// readWord reads a file with one secret; lines that begin with # are remarks.
func readWord(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line, nil
		}
	}
	return "", errors.New("the file of the key is empty")
}

// opened is a place of backups with the settings that led to it.
type opened struct {
	session *offline.Session
	at      artefact.Destination
	shown   string
	env     destination.Env
}

func (o *opened) close(ctx context.Context) {
	_ = o.at.Close() // it was read
	_ = o.session.Close(ctx)
}

// masters are the panel's own master key and the earlier ones, where this machine has them. None is made.
func (o *opened) masters() []string {
	var all []string
	if own := o.master(); own != "" {
		all = append(all, own)
	}
	return append(all, o.session.Config.Secret(config.SecretKeyPrevious).List()...)
}

func (o *opened) master() string {
	given := o.session.Config.Secret(config.SecretKey).Reveal()
	dir := o.session.Config.DataDir()
	if _, err := os.Stat(filepath.Join(dir, "secret.key")); given == "" && err != nil {
		return ""
	}
	own, _, err := vault.MasterKey(given, dir)
	if err != nil {
		return ""
	}
	return own
}

func (t *tool) open(ctx context.Context) (*opened, error) {
	session, err := offline.Settings(t.env, t.settings.Folder, t.settings.Messenger)
	if err != nil {
		return nil, err
	}
	o := &opened{session: session}
	network, err := outbound.NewNetwork(session.Config)
	if err != nil {
		return nil, err
	}
	o.env = destination.Env{
		Network: network, Folder: t.folderOf(session.Config),
		MessengerRoot: session.Config.String(t.settings.Messenger),
	}
	spec, shown, err := t.spec(ctx, o.env.Folder)
	if err != nil {
		return nil, err
	}
	o.shown = shown
	if o.at, err = o.env.Open(spec); err != nil {
		return nil, failed(cli.Say("the place %s cannot be used", shown), err)
	}
	return o, nil
}

// spec reads --place: a folder, else a file that describes a destination.
func (t *tool) spec(ctx context.Context, usual string) (s destination.Spec, shown string, err error) {
	place := t.place.place
	if place == "" {
		place = usual
	}
	about, err := os.Stat(place)
	if t.place.place == "" || err == nil && about.IsDir() {
		whole, err := filepath.Abs(place)
		if err != nil {
			return s, place, err
		}
		return folderSpec(whole), whole, nil
	}
	text, err := os.ReadFile(place)
	if err != nil {
		return s, place, failed(cli.Say("the place %s cannot be used", place), err)
	}
	if s, err = t.described(text); err != nil {
		return s, place, err
	}
	if s.Secret == "" && s.Kind != destination.Local {
		s.Secret = t.env.Getenv(placeSecret)
	}
	if s.Secret == "" && s.Kind != destination.Local && t.env.CanAsk() {
		s.Secret, err = t.env.AskSecret(ctx, cli.Say("Secret of the place:"))
	}
	return s, place, err
}

func folderSpec(folder string) destination.Spec {
	text, _ := json.Marshal(destination.LocalConfig{Folder: folder}) // a text is always encoded
	return destination.Spec{Kind: destination.Local, Config: text}
}

// described takes a destination, or the one of a profile that --destination names.
func (t *tool) described(text []byte) (destination.Spec, error) {
	var file struct {
		destination.Spec
		Destinations []destination.Spec `json:"destinations"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return file.Spec, cli.Usage(cli.Say("the file of --place is no JSON of a destination or a profile"))
	}
	if file.Kind != "" {
		return file.Spec, nil
	}
	if n := t.place.number; n >= 1 && n <= len(file.Destinations) {
		return file.Destinations[n-1], nil
	}
	return file.Spec, cli.Usage(cli.Say("the profile has %d destinations", len(file.Destinations))).
		Advise(cli.Plain("--destination"))
}
