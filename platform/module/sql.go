package module

import (
	"fmt"
	"io/fs"
)

// SQL gives the migrations folder of a module's embedded files.
func SQL(files fs.FS) fs.FS {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		//nolint:forbidigo // only a malformed constant path is refused
		panic(fmt.Sprintf("embedded migrations: %v", err))
	}
	return folder
}
