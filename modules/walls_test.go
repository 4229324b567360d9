package modules

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pkg is the part of `go list -json` that the walls need.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	require.NoError(t, err)
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	var all []pkg
	for decoder.More() {
		var p pkg
		require.NoError(t, decoder.Decode(&p))
		all = append(all, p)
	}
	return all
}

// A library that has one place may be imported there and nowhere else.
var places = []struct {
	library string
	allowed []string // packages, or folders ending in /
}{
	{"go.uber.org/fx", []string{"panel/platform/app"}},
	{"github.com/danielgtaylor/huma/v2", []string{"panel/platform/httpapi"}},
	{"github.com/spf13/viper", []string{"panel/platform/config"}},
	{"github.com/riverqueue/river", []string{"panel/platform/jobs"}},
	{"github.com/xtls/xray-core", []string{"panel/cmd/panel-agent/"}},
	{"github.com/ncruces/go-sqlite3", []string{"panel/modules/imports/internal/sqlite"}},
}

func TestLibrariesHaveOnePlace(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		for _, place := range places {
			for _, imported := range p.Imports {
				if within(imported, place.library) {
					require.True(t, slices.ContainsFunc(place.allowed, func(at string) bool {
						return covers(at,
							p.ImportPath)
					}),
						"%s imports %s, which belongs to %v alone", p.ImportPath, imported, place.allowed)
				}
			}
		}
	}
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

func covers(place, path string) bool {
	return path == place || (strings.HasSuffix(place, "/") && within(path, strings.TrimSuffix(place, "/")))
}

// A module knows the platform and the api packages of others, never their insides; platform knows no module.
func TestModulesDoNotKnowEachOther(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./modules/...", "./platform/...", "./migrations/...", "./ui") {
		for _, imported := range p.Imports {
			if owner := moduleOf(imported); owner != "" && owner != moduleOf(p.ImportPath) &&
				p.ImportPath != "panel/modules" {
				require.Regexp(
					t,
					`^panel/modules/[a-z-]+/[a-z]+api$`,
					imported,
					"%s imports the insides of %s",
					p.ImportPath,
					owner,
				)
				require.NotContains(t, p.ImportPath, "panel/platform/", "platform knows no module")
			}
		}
	}
}

func moduleOf(path string) string {
	rest, found := strings.CutPrefix(path, "panel/modules/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// The api package of a module imports the standard library only, so that no circle can form.
func TestAPIPackagesAreLeaves(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./modules/...") {
		if strings.HasSuffix(p.ImportPath, "api") {
			for _, imported := range p.Imports {
				require.NotContains(t, imported, ".", "%s imports %s", p.ImportPath, imported)
				require.False(t, strings.HasPrefix(imported, "panel/"), "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// The floors: ui, migrations and the wire types import nothing of ours.
func TestLowestFloorImportsNothingOfOurs(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./ui", "./migrations", "./platform/agentapi", "./platform/fault", "./platform/access",
		"./platform/entitlement", "./platform/version") {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "panel/") {
				require.Contains(t, []string{"panel/platform/fault"}, imported, "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// The panel's executable never links the proxy core, whose libraries carry another licence; nor does the orchestrator.
func TestPanelDoesNotLinkTheCore(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./cmd/panelctl", "./cmd/panel-up", "./cmd/panel-licensed") {
		for _, dependency := range p.Deps {
			require.False(
				t,
				within(dependency, "github.com/xtls/xray-core") || within(dependency, "github.com/sagernet/sing"),
				"%s links %s",
				p.ImportPath,
				dependency,
			)
		}
	}
}

// Of ours the agent knows the wire types, the form of signed releases, how files are written durably, how something is
// looked at once, in its tests how a free port is found, and nothing of the panel.
func TestAgentKnowsTheWireTypesOnly(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./cmd/panel-agent/...") {
		for _, imported := range p.Imports {
			ours := within(imported, "panel") && !within(imported, "panel/cmd/panel-agent")
			require.False(t, ours && !slices.Contains(agentKnows, imported), "%s imports %s", p.ImportPath, imported)
		}
	}
}

var agentKnows = []string{
	"panel/platform/agentapi",
	"panel/platform/durable",
	"panel/platform/probing",
	"panel/platform/release",
	"panel/platform/testneed/freeport",
	"panel/platform/version",
}

// Fiber is spoken in httpapi, web and a module's raw.go.
func TestFiberHasItsPlaces(t *testing.T) {
	t.Parallel()
	eachFile(t, ".go", func(path, content string) {
		if strings.Contains(content, `"github.com/gofiber/`) {
			place := strings.HasPrefix(path, "platform/httpapi/") || strings.HasPrefix(path,
				"platform/web/") || strings.HasPrefix(path, "platform/app/") ||
				strings.HasPrefix(path, "cmd/panel-bench/") || filepath.Base(path) == "raw.go" ||
				strings.HasSuffix(path, "_test.go")
			require.True(t, place, "%s imports fiber", path)
		}
	})
}

var environment = regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ)\b`)

// The panel reads its environment in platform/config; executables may hand theirs on.
func TestEnvironmentIsReadInOnePlace(t *testing.T) {
	t.Parallel()
	eachFile(t, ".go", func(path, content string) {
		inside := strings.HasPrefix(path, "platform/") || strings.HasPrefix(path, "modules/") ||
			strings.HasPrefix(path, "migrations/")
		if inside && !strings.HasPrefix(path, "platform/config/") && !strings.HasSuffix(path, "_test.go") &&
			!strings.HasPrefix(path, "platform/paneltest/") && !strings.HasPrefix(path, "platform/database/dbtest/") {
			require.False(t, environment.MatchString(content), "%s reads the environment", path)
		}
	})
}

var (
	driver  = regexp.MustCompile(`\b(pgx|pgconn|pgxpool)\.(ParseConfig|Connect|New)\(`)
	proxied = regexp.MustCompile(`\bhttp\.(DefaultClient|DefaultTransport|ProxyFromEnvironment|Get|Head|Post)\b`)
	client  = regexp.MustCompile(`(?s)http\.Client\{.{0,120}`)
)

// Libraries do not configure the panel from variables of their own: the driver of the database is asked through
// platform/database, and no client takes its proxy from the environment.
func TestLibrariesReadNoVariablesOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachFile(t, ".go", func(path, content string) {
		inside := strings.HasPrefix(path, "platform/") || strings.HasPrefix(path, "modules/")
		helper := strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/dbtest/")
		if !inside || helper {
			return
		}
		require.False(t, proxied.MatchString(content), "%s makes a client that reads HTTP_PROXY", path)
		for _, made := range client.FindAllString(content, -1) {
			require.Contains(t, made, "Transport:", "%s makes a client that reads HTTP_PROXY", path)
		}
		if !strings.HasPrefix(path, "platform/database/") {
			require.False(t, driver.MatchString(content), "%s opens a database without platform/database", path)
		}
	})
}

var compiled = regexp.MustCompile(`(?m)^(var |\t)[A-Za-z]+\s+= (regexp\.MustCompile|template\.Must)\(`)

// P19: a command of a second's fraction does not compile the expressions and pages of the whole panel: they are made
// when they are first used.
func TestNothingIsCompiledBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	eachFile(t, ".go", func(path, content string) {
		inside := strings.HasPrefix(path, "platform/") || strings.HasPrefix(path, "modules/")
		helper := strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/cdntest/") ||
			strings.HasPrefix(path, "platform/paneltest/")
		require.False(t, inside && !helper && compiled.MatchString(content),
			"%s compiles an expression or a page at every start; use platform/pattern or sync.OnceValue", path)
	})
}

var forbidden = map[string]*regexp.Regexp{
	"sleeps in a test":         regexp.MustCompile(`\btime\.Sleep\(`),
	"skips a test":             regexp.MustCompile(`\bt\.Skip`),
	"uses assert":              regexp.MustCompile(`testify/assert"`),
	"leaves work for later":    regexp.MustCompile(`\b(TODO|FIXME)\b`),
	"names a package registry": regexp.MustCompile(`registry\.npmjs\.org|proxy\.golang\.org`),
}

// House rules that a pattern can see. The files that may skip a test are in testdata/skips.txt, with the reason.
func TestHouseRules(t *testing.T) {
	t.Parallel()
	var skips []string
	eachFile(t, ".go", func(path, content string) {
		for rule, pattern := range forbidden {
			if rule == "sleeps in a test" && !strings.HasSuffix(path, "_test.go") || path == "modules/walls_test.go" {
				continue
			}
			found := pattern.MatchString(content)
			if rule == "skips a test" && found {
				skips = append(skips, path)
				continue
			}
			require.False(t, found, "%s %s", path, rule)
		}
	})
	require.Equal(t, reviewed(t, "testdata/skips.txt"), skips,
		"on the left what may skip a test, on the right what does")
}

// mostFiles of one Go package or one folder of the interface, tests aside: more than these nobody takes in at once.
const mostFiles = 25

func TestPackagesAndFoldersStaySmall(t *testing.T) {
	t.Parallel()
	files := map[string][]string{}
	for _, kind := range []string{".go", ".ts", ".tsx"} {
		eachFile(t, kind, func(path, _ string) {
			if !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, ".test.") {
				files[filepath.Dir(path)] = append(files[filepath.Dir(path)], filepath.Base(path))
			}
		})
	}
	require.NotEmpty(t, files["ui/src/components/form"])
	for folder, all := range files {
		require.LessOrEqual(t, len(all), mostFiles, "%s has %d files: %v", folder, len(all), all)
	}
}

// Every folder of modules is in the list, in order, under its own name.
func TestEveryModuleIsListed(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, m := range All() {
		listed = append(listed, m.Name)
	}
	require.True(t, slices.IsSorted(listed), "modules.go is sorted by name: %v", listed)
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "testdata" {
			folders = append(folders, strings.ReplaceAll(entry.Name(), "-", ""))
		}
	}
	slices.Sort(folders)
	require.Equal(t, folders, listed)
}

var (
	creates = regexp.MustCompile(`(?i)create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?"?([a-z_.]+)`)
	tagged  = regexp.MustCompile(`bun:"table:([a-z_]+)`)
	// named finds the tables that a piece of SQL, or a part of a query that is built up, reads or writes.
	named = regexp.MustCompile(
		`(?i)\b(?:from|join|into|update|using|truncate|table|lock\s+table)\s+(?:only\s+)?"?([a-z_.]+)"?`,
	)
	// builder finds tables that are named to the query builder by themselves.
	builder = regexp.MustCompile(`\.(?:Table|TableExpr|ModelTableExpr)\(\s*["` + "`" + `]([a-z_]+)`)
)

// tableOwners gives the module, or the part of the platform, that creates each table.
func tableOwners(t *testing.T) map[string]string {
	t.Helper()
	owners := map[string]string{}
	eachFile(t, ".sql", func(path, content string) {
		if !strings.HasSuffix(path, ".tx.up.sql") || strings.Contains(path, "testdata") {
			return
		}
		for _, match := range creates.FindAllStringSubmatch(content, -1) {
			owner := ownerOf(path)
			require.True(t, owners[match[1]] == "" || owners[match[1]] == owner, "%s and %s both create the table %s",
				owners[match[1]], owner, match[1])
			owners[match[1]] = owner
		}
	})
	require.NotEmpty(t, owners)
	return owners
}

// A table has one owner: whoever creates it; no other package maps it, and none names it in SQL. A temporary one is
// created in the file that maps it.
func TestOneOwnerPerTable(t *testing.T) {
	t.Parallel()
	owners := tableOwners(t)
	eachFile(t, ".go", func(path, content string) {
		if strings.HasSuffix(path, "_test.go") || laboratory(path) {
			return
		}
		for _, match := range tagged.FindAllStringSubmatch(content, -1) {
			if !strings.Contains(content, "create temporary table if not exists "+match[1]+" ") {
				require.Equal(t, owners[match[1]], ownerOf(path), "%s maps the table %s", path, match[1])
			}
		}
		for _, table := range tablesIn(t, path, content) {
			owner, by := owners[table], ownerOf(path)
			require.True(t, owner == "" || owner == by || slices.Contains(shared[table], by),
				"%s names the table %s of %s in SQL", path, table, owner)
		}
	})
}

// shared are tables that others than their owner name.
var shared = map[string][]string{
	"jobs.river_job": {"operations"}, // what Doctor says about jobs stands beside what a person follows of them
	"flow_applies":   {"platform"},   // the repair of abandoned applies
	"nodes":          {"cdn-dns"},    // Doctor, which has no services to ask, dials listeners where their nodes are
	"node_documents": {"cdn-dns"},    // Doctor again: which certificates agents shall hold,
	"node_reports":   {"cdn-dns"},    // and which they say that they do
}

// laboratory are the tools that fill a database from outside, as no panel does.
func laboratory(path string) bool {
	return strings.HasPrefix(path, "cmd/panel-bench/") || strings.HasPrefix(path, "platform/paneltest/")
}

// tablesIn lists the tables that the string literals of a Go file name.
func tablesIn(t *testing.T, path, content string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution)
	require.NoError(t, err)
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			for _, match := range named.FindAllStringSubmatch(literal.Value, -1) {
				found = append(found, strings.ToLower(match[1]))
			}
		}
		return true
	})
	for _, match := range builder.FindAllStringSubmatch(content, -1) {
		found = append(found, match[1])
	}
	return found
}

// ownerOf names a folder of modules or of platform/core by itself, everything below platform and migrations as the
// platform.
func ownerOf(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	switch {
	case parts[0] == "modules":
		return parts[1]
	case parts[0] == "platform" && parts[1] == "core":
		return parts[2]
	}
	return "platform"
}
