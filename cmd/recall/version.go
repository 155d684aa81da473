package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"recall/embed/e5"
)

// versionJSON is what version --json prints.
type versionJSON struct {
	V        int    `json:"v"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Time     string `json:"time"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildVersion overrides what the build itself knows, for packagers.
var buildVersion string

func version() versionJSON {
	v := versionJSON{V: 1, Version: "devel"}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Go = info.GoVersion
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
		set := map[string]string{}
		for _, s := range info.Settings {
			set[s.Key] = s.Value
		}
		v.Revision, v.Time, v.Modified = set["vcs.revision"], set["vcs.time"], set["vcs.modified"] == "true"
		v.Platform = set["GOOS"] + "/" + set["GOARCH"]
	}
	if buildVersion != "" {
		v.Version = buildVersion
	}
	return v
}

func versionCommand(a *app) *cobra.Command {
	var asJSON, notices bool
	cmd := &cobra.Command{
		Use:  "version",
		Args: noArguments("recall version"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case notices:
				_, err := fmt.Fprint(a.out, e5.Notices())
				return err
			case asJSON:
				return a.printJSON(version())
			}
			_, err := fmt.Fprintln(a.out, versionLine(version()))
			return err
		},
	}
	cmd.Flags().BoolVar(&notices, "notices", false, "print the licences of what is built in")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func versionLine(v versionJSON) string {
	var extra []string
	if v.Revision != "" && !strings.Contains(v.Version, v.Revision[:min(12, len(v.Revision))]) {
		extra = append(extra, "revision "+v.Revision[:min(12, len(v.Revision))])
	}
	extra = append(extra, v.Go, v.Platform)
	return "recall " + v.Version + " (" + strings.Join(extra, ", ") + ")"
}
