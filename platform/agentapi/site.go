package agentapi

import (
	"errors"
	"fmt"
	"strings"
)

// Site is the content of DocumentSite: the status page that the agent serves to everybody. Without files it serves
// none.
type Site struct {
	Port  int        `json:"port"`
	Files []SiteFile `json:"files"`
}

// SiteFile is one file of it.
type SiteFile struct {
	Path      string `json:"path" doc:"Below the root, index.html"`
	MediaType string `json:"media_type"`
	Content   []byte `json:"content"`
}

// MaxSiteFiles is how many files a page has at most.
const MaxSiteFiles = 64

// Check fails for what no panel sends.
func (s Site) Check() error {
	const lastPort, longest = 65535, 255
	if len(s.Files) == 0 {
		return nil
	}
	if s.Port < 1 || s.Port > lastPort {
		return fmt.Errorf("read the status page: %d is no port", s.Port)
	}
	if len(s.Files) > MaxSiteFiles {
		return fmt.Errorf("read the status page: %d files are more than a page has", len(s.Files))
	}
	paths := map[string]bool{}
	for _, f := range s.Files {
		odd := strings.ContainsAny(f.MediaType, "\r\n") || strings.ContainsAny(f.Path, "\r\n\\?#%") ||
			strings.HasPrefix(f.Path, "/") || strings.Contains(f.Path, "..")
		if f.Path == "" || len(f.Path) > longest || f.MediaType == "" || odd || paths[f.Path] {
			return errors.New("read the status page: a file has no fitting path or type")
		}
		paths[f.Path] = true
	}
	return nil
}
