package recall

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers lists the project's packages bottom-up: a package imports only
// packages that stand before it.
var layers = []string{
	"transcript",
	"anchors",
	"embed",
	"embed/embedtest",
	"embed/bert",
	"embed/bert/gen",
	"embed/e5",
	"index/archive",
	"index/forward",
	"index/keyword",
	"index/vectors",
	"index",
	"search",
	"fanout",
	"cmd/recall/demo",
	"cmd/recall/mcpserver",
	"cmd/recall",
}

// apart lists pairs that must not know each other although their order would
// allow it: cmd/recall joins them.
var apart = map[string]string{
	"fanout": "search",
	"index":  "embed/e5",
	"search": "embed/e5",
}

// homes says where each third-party module may be imported, and by no one else.
var homes = map[string][]string{
	"github.com/blevesearch/":          {"index", "index/keyword", "index/vectors"},
	"github.com/philippgille/chromem-": {"index/vectors"},
	"github.com/klauspost/compress":    {"index/archive"},
	"github.com/gofrs/flock":           {"index"},
	"github.com/mark3labs/mcp-go":      {"cmd/recall/mcpserver"},
	"github.com/ollama/ollama":         {"embed", "fanout"},
	"github.com/spf13/":                {"cmd/recall"},
	"github.com/BurntSushi/toml":       {"cmd/recall"},
	"golang.org/x/term":                {"cmd/recall"},
	"golang.org/x/text":                {"embed/bert", "index"},
	"golang.org/x/sys":                 {"embed/bert", "index"},
	"github.com/google/go-cmp":         {"*"},
	"github.com/rogpeppe/go-internal":  {"cmd/recall"},
}

func TestLayers(t *testing.T) {
	rank := map[string]int{}
	for i, p := range layers {
		rank[p] = i
	}
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(name))
		if pkg == "." {
			return nil
		}
		if _, ok := rank[pkg]; !ok {
			t.Errorf("%s: package %s has no place in layers", name, pkg)
			return nil
		}
		seen++
		checkImports(t, rank, name, pkg)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no Go files found")
	}
}

func checkImports(t *testing.T, rank map[string]int, name, pkg string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if own, ok := strings.CutPrefix(imp, "recall/"); ok {
			if rank[own] >= rank[pkg] && own != pkg {
				t.Errorf("%s: %s may not import %s", name, pkg, own)
			}
			if apart[pkg] == own {
				t.Errorf("%s: %s and %s must not know each other", name, pkg, own)
			}
			continue
		}
		if strings.Contains(strings.Split(imp, "/")[0], ".") && !allowed(imp, pkg) {
			t.Errorf("%s: %s is not at home in %s", name, imp, pkg)
		}
	}
}

func allowed(imp, pkg string) bool {
	for prefix, pkgs := range homes {
		if !strings.HasPrefix(imp, prefix) {
			continue
		}
		for _, p := range pkgs {
			if p == pkg || p == "*" {
				return true
			}
		}
	}
	return false
}
