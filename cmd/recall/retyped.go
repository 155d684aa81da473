package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// retyped is a command line that can be pasted; very long words are cut.
func retyped(args []string) string {
	out := slices.Clone(args)
	for i, arg := range out {
		if len([]rune(arg)) > hintRoom {
			out[i] = hintWords(arg)
		}
	}
	return "recall " + commandLine(out...)
}

// corrected is what was typed with another value for a flag.
func (a *app) corrected(cmd *cobra.Command, flag, value string) string {
	return retyped(setFlag(a.args, cmd.Flags().Lookup(flag), value))
}

// setFlag puts value in the place of a flag's; where it was given several
// times, once. Without the flag it returns args.
func setFlag(args []string, f *pflag.Flag, value string) []string {
	set := false
	return editFlag(args, f, func(name string) []string {
		if set {
			return nil
		}
		set = true
		if strings.HasSuffix(name, "=") {
			return []string{name + value}
		}
		return []string{name, value}
	})
}

// dropFlags leaves flags of cmd out.
func dropFlags(args []string, cmd *cobra.Command, flags ...string) []string {
	for _, name := range flags {
		args = editFlag(args, cmd.Flags().Lookup(name), func(string) []string { return nil })
	}
	return args
}

// editFlag puts what edit makes of a flag's name as it was typed, with a =
// behind it if there was one, in the place of the flag and its value.
func editFlag(args []string, f *pflag.Flag, edit func(name string) []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(out, args[i:]...)
		case arg == "--"+f.Name || f.Shorthand != "" && arg == "-"+f.Shorthand:
			out = append(out, edit(arg)...)
			if f.NoOptDefVal == "" {
				i++ // its value
			}
		case strings.HasPrefix(arg, "--"+f.Name+"="):
			out = append(out, edit("--"+f.Name+"=")...)
		case f.Shorthand != "" && !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, "-"+f.Shorthand):
			out = append(out, edit("-"+f.Shorthand)...)
		default:
			out = append(out, arg)
		}
	}
	return out
}

// wanted refuses the value of a flag; good is one that would do.
func (a *app) wanted(cmd *cobra.Command, flag, want, good string) error {
	f := cmd.Flags().Lookup(flag)
	return hintf("usage", a.corrected(cmd, flag, good), "--%s %s: %s is wanted", flag, strings.Join(flagValues(f), ","), want)
}

// atLeast0 refuses negative numbers.
func (a *app) atLeast0(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if n, err := cmd.Flags().GetInt(name); err == nil && n < 0 {
			return a.wanted(cmd, name, "a number from 0 up", examples[name])
		}
	}
	return nil
}

// examples are values for flags that take a number.
var examples = map[string]string{"limit": "10", "before": "2", "after": "2", "context": "2", "min-score": "0.5"}
