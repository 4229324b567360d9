// Package ui carries the built web interface inside the panel's binary.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

//go:embed unbuilt
var unbuilt embed.FS

// FS is the built web interface, with index.html at its root. Without a build
// it holds one page that says which command to run.
func FS() fs.FS {
	if Built() {
		return below(dist, "dist")
	}
	return below(unbuilt, "unbuilt")
}

// Built says whether the web interface was built before this binary was.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}

func below(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		return files
	}
	return sub
}
