package logs

import (
	"context"
	"path/filepath"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// Places are where to look. Standard gives those of this machine; tests name their own.
type Places struct {
	// Containers are the programs that speak to a container engine; empty leaves containers out.
	Containers []Engine
	// Journal is the program journalctl with the arguments that choose the journal; empty leaves it out.
	Journal []string
	// Folders hold files of the panel and of nginx, first come first served.
	PanelFolders, NginxFolders []string
}

// Standard are the places of this machine: docker, podman and, where it is configured, kubectl; the system journal;
// /var/log/panel, the logs folder of the data folder and /var/log/nginx.
func Standard(env doctor.Env) Places {
	return Places{
		Containers:   engines(env),
		Journal:      []string{"journalctl"},
		PanelFolders: []string{"/var/log/panel", Folder(checks.DataDir(env))},
		NginxFolders: []string{"/var/log/nginx"},
	}
}

// Folder is where a panel keeps its own log files.
func Folder(dataDir string) string { return filepath.Join(dataDir, "logs") }

// look tries one place: a feed with its source, or why there is none.
type look func(context.Context, Query) (feed, Source, []doctor.Text)

func (p Places) order() []look { return []look{p.container, p.journal, p.files} }
