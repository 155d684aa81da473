package main

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed help/*.txt help/examples/*.txt
var helpTexts embed.FS

// newRoot makes the command tree.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "recall",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Annotations[noConfig] != "" {
				return nil
			}
			return a.setUp(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch asked, _ := cmd.Flags().GetBool("version"); {
			case asked:
				_, err := fmt.Fprintln(a.out, versionLine(version()))
				return err
			case len(args) == 0:
				return a.help(cmd)
			}
			return a.unknownCommand(cmd, args)
		},
		Annotations: map[string]string{noConfig: "1"},
	}
	root.Flags().BoolP("version", "V", false, "what this program is")
	pf := root.PersistentFlags()
	pf.String("home", "", "keep the index in `DIR`")
	pf.StringArray("source", nil, "read history below `DIR`; repeatable")
	pf.String("embedder", "", "e5, none or ollama:`MODEL`")
	pf.StringVar(&a.configFile, "config", "", "read settings from `FILE`")
	pf.StringVar(&a.logFile, "log-file", "", "write the log to `FILE`")
	pf.BoolVarP(&a.verbose, "verbose", "v", false, "say more on standard error")
	pf.SortFlags = false
	root.AddCommand(searchCommand(a), showCommand(a), droppedCommand(a), sessionsCommand(a), syncCommand(a), statusCommand(a),
		doctorCommand(a), mcpCommand(a), demoCommand(a), plain(completionCommand(a)), plain(versionCommand(a)))
	root.SetHelpCommand(plain(helpCommand(a)))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.help(cmd) })
	root.SetFlagErrorFunc(a.flagError)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return root
}

// noConfig marks commands that work with a broken config file too.
const noConfig = "no-config"

func plain(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{noConfig: "1"}
	return cmd
}

func helpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.help(cmd.Root())
			}
			if text, err := helpTexts.ReadFile("help/" + args[0] + ".txt"); err == nil && args[0] == "config" {
				_, err := a.out.Write(text)
				return err
			}
			c, _, err := cmd.Root().Find(args[:1])
			if err != nil || c == cmd.Root() {
				return a.unknownCommand(cmd.Root(), args)
			}
			return a.help(c)
		},
	}
}

// help prints a command's text with its options in their place.
func (a *app) help(cmd *cobra.Command) error {
	text, err := helpTexts.ReadFile("help/" + cmd.Name() + ".txt")
	if err != nil {
		return err
	}
	example, _ := helpTexts.ReadFile("help/examples/" + cmd.Name() + ".txt") // not every command has one
	_, err = strings.NewReplacer("{{options}}\n", options(cmd)+"\n", "{{example}}\n", string(example)+"\n").WriteString(a.out, string(text))
	return err
}

// options lists a command's own flags; the root's are those of every command.
func options(cmd *cobra.Command) string {
	var left, right []string
	add := func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		arg, usage := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if f.Value.Type() != "bool" {
			if arg == "" || !strings.Contains(f.Usage, "`") {
				arg = strings.ToUpper(f.Name)
			}
			name += " " + arg
		}
		left, right = append(left, name), append(right, usage)
	}
	if cmd.HasParent() {
		cmd.LocalFlags().VisitAll(add)
	} else {
		cmd.PersistentFlags().VisitAll(add)
	}
	var b strings.Builder
	for i, l := range left {
		fmt.Fprintf(&b, "  %-22s  %s\n", l, right[i])
	}
	return b.String()
}

func flagValues(f *pflag.Flag) []string {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		return s.GetSlice()
	}
	return []string{f.Value.String()}
}

// noArguments refuses words after a command that takes none.
func noArguments(line string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return hintf("usage", line, "%s takes no arguments, got %q", cmd.Name(), args[0])
		}
		return nil
	}
}

func (a *app) unknownCommand(root *cobra.Command, args []string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	if n := nearest(args[0], names); n != "" {
		return hintf("usage", retyped(replaced(a.args, args[0], n)), "there is no command %q; did you mean %q?", args[0], n)
	}
	return hintf("usage", retyped(append([]string{"search"}, args...)), "there is no command %q", args[0])
}

// flagError words what is wrong with the flags. A word that is no command comes
// before its flags, which are nobody's.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case !cmd.HasParent() && len(a.args) > 0 && !strings.HasPrefix(a.args[0], "-"):
		return a.unknownCommand(cmd, a.args)
	case errors.As(err, &unknown):
		return a.unknownFlag(cmd, unknown)
	case errors.As(err, &value):
		return a.badFlagValue(cmd, value)
	case errors.As(err, &missing):
		name := missing.GetFlag().Name
		line := helpLine(cmd)
		if good := examples[name]; good != "" {
			line = retyped(append(slices.Clone(a.args), good))
		}
		return hintf("usage", line, "--%s needs a value", name)
	}
	return hintf("usage", helpLine(cmd), "%s", strings.TrimPrefix(err.Error(), "flag: "))
}

func helpLine(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return "recall help " + cmd.Name()
	}
	return "recall help"
}

func (a *app) badFlagValue(cmd *cobra.Command, e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	want, good := "another value", ""
	switch f.Value.Type() {
	case "int":
		want, good = "a whole number", examples[f.Name]
	case "float64":
		want, good = "a number", examples[f.Name]
	case "bool":
		want, good = "true or false", "true"
	}
	line := helpLine(cmd)
	if good != "" {
		line = a.corrected(cmd, f.Name, good)
	}
	return hintf("usage", line, "--%s %s: %s is wanted", f.Name, e.GetValue(), want)
}

// unknownFlag names the nearest flag for one that is not known.
func (a *app) unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	if e.GetSpecifiedShortnames() != "" {
		return hintf("usage", helpLine(cmd), "there is no option -%s", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	right := nearest(name, names)
	if right == "" {
		return hintf("usage", helpLine(cmd), "there is no option --%s", name)
	}
	args := slices.Clone(a.args)
	for i, arg := range args {
		if arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") {
			args[i] = "--" + right + strings.TrimPrefix(arg, "--"+name)
		}
	}
	return hintf("usage", retyped(args), "there is no option --%s; did you mean --%s?", name, right)
}
