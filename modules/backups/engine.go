package backups

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jonboulle/clockwork"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/modules/backups/internal/restore"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/maintenance"
	"panel/platform/outbound"
	"panel/platform/vault"
	"panel/platform/version"
)

// engine is what writing and proving artefacts needs of the panel.
type engine struct {
	places   destination.Env
	source   artefact.Source
	build    restore.Panel
	masters  []string
	keyIDs   []string
	clock    clockwork.Clock
	downtime *maintenance.Switch
	// holder names this machine and its folder of local backups, which other panels on the database cannot read
	holder string
	// outlives are the queries of all modules for what a full restore must not lose
	outlives map[string]string
}

func newEngine(
	cfg *config.Config, db *database.DB, network *outbound.Network, known doctor.Known, clock clockwork.Clock,
	downtime *maintenance.Switch,
) (*engine, error) {
	master, _, err := vault.MasterKey(cfg.Secret(config.SecretKey).Reveal(), cfg.DataDir())
	if err != nil {
		return nil, fmt.Errorf("read the master key for backups: %w", err)
	}
	e := &engine{clock: clock, masters: []string{master}, downtime: downtime, outlives: known.Outlives}
	for _, one := range strings.Split(cfg.Secret(config.SecretKeyPrevious).Reveal(), ",") {
		if one = strings.TrimSpace(one); one != "" {
			e.masters = append(e.masters, one)
		}
	}
	if e.keyIDs, err = keyIDs(e.masters); err != nil {
		return nil, err
	}
	dsn, programs := db.Pool.Config().ConnString(), cfg.String(config.PGBin)
	e.places = destination.Env{
		Network: network, Folder: folderOf(cfg.Path(folderKey), cfg.DataDir()), Confined: true,
		MessengerRoot: cfg.String(config.MessengerAPIRoot),
	}
	e.holder = holderOf(e.places.Folder)
	e.source = artefact.Source{
		DSN: dsn, Programs: programs, Master: master, Previous: e.masters[1:], Version: version.Version,
		Settings: []string{settingsFile},
	}
	e.build = restore.Panel{
		DSN: dsn, Master: master, Programs: programs, Steps: known.Steps, Sealed: known.Sealed,
	}
	return e, nil
}

// settingsFile is what the service reads its variables from.
const settingsFile = "/etc/panel/panel.env"

// holderOf tells panels on a database apart, also two on one machine.
func holderOf(folder string) string {
	host, _ := os.Hostname() // a machine without a name is told by its folder
	return host + ":" + folder
}

func folderOf(given, data string) string {
	if given != "" {
		return given
	}
	return filepath.Join(data, "backups")
}

// keyIDs names master keys without telling anything about them.
func keyIDs(masters []string) ([]string, error) {
	ids := make([]string, len(masters))
	for i, master := range masters {
		safe, err := vault.New(master)
		if err != nil {
			return nil, fmt.Errorf("read a master key for backups: %w", err)
		}
		ids[i] = safe.KeyID()
	}
	return ids, nil
}

// encryption is how new artefacts of a profile are encrypted.
func (p *profile) encryption() artefact.Encryption {
	return artefact.Encryption{
		Mode: artefact.Mode(p.row.Encryption), Recipient: p.row.Recipient, Passphrase: p.passphrase,
	}
}

// options are what a new artefact of a profile holds.
func (e *engine) options(p *profile) artefact.Options {
	return artefact.Options{
		Word: p.row.Label, SecretStore: p.row.SecretStore, Config: p.row.Config,
		Telemetry: artefact.Telemetry(p.row.Telemetry), Encryption: p.encryption(), Clock: e.clock,
	}
}

// keys open the artefacts of a profile as far as the panel itself can.
func (e *engine) keys(p *profile) artefact.Keys {
	return artefact.Keys{Passphrase: p.passphrase, Masters: e.masters}
}
