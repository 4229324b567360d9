package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/support"
)

// supportCall is what the flags of one call say.
type supportCall struct {
	since   string
	folder  string
	preview bool
	send    bool
	shown   bool // addresses stay as they are
}

func (env *Env) supportCommand() *cobra.Command {
	call := &supportCall{}
	cmd := &cobra.Command{
		Use:   "support",
		Short: "Pack diagnosis, settings and logs into one file without secrets",
		Long: "Packs the diagnosis, versions, settings and the logs of a period into one file. Every password, token and key is masked, public addresses get numbers; MANIFEST.json in the file counts what was masked. " +
			"The file is saved in the data folder; --send uploads it to PANEL_SUPPORT_URL after a question. It works while the panel and the database are down.",
		Example: "panelctl support\npanelctl support --since 7d --preview\nsudo panelctl support --since 1h --output /tmp --send",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.support(cmd.Context(), call) },
	}
	set := cmd.Flags()
	set.StringVar(&call.since, "since", "24h", "the period of the logs, for example 1h, 24h or 7d")
	set.StringVar(&call.folder, "output", "", "folder to save in; the support folder of the data folder without it")
	set.BoolVar(&call.preview, "preview", false, "only tell what would be packed and masked")
	set.BoolVar(&call.send, "send", false, "also upload the file to PANEL_SUPPORT_URL")
	set.BoolVar(&call.shown, "show-addresses", false, "leave public IP addresses as they are")
	return cmd
}

func (env *Env) support(ctx context.Context, call *supportCall) error {
	period, err := Period(call.since)
	if err != nil {
		return Usage(Say("--since takes a period such as 30m, 1h or 2d")).Advise(Plain("panelctl help support"))
	}
	checked := env.doctorEnv()
	address := checked.Getenv("PANEL_SUPPORT_URL")
	if call.send && address == "" {
		return Usage(Say("PANEL_SUPPORT_URL is not set, so there is nobody to send to")).
			Advise(Plain("panelctl support"))
	}
	options := support.Options{
		Env: checked, Checks: env.Diagnosis(), Places: env.places(), Version: env.Version, Folder: call.folder,
		ShowAddresses: call.shown,
		Since:         checked.Now().Add(-max(period, time.Minute)),
	}
	path, manifest, err := env.packed(ctx, options, call.preview)
	if err != nil {
		return err
	}
	if err := env.printManifest(path, manifest); err != nil || !call.send || call.preview {
		return err
	}
	return env.sendBundle(ctx, path, address, checked.Getenv("PANEL_HTTP_PROXY"))
}

func (env *Env) packed(ctx context.Context, options support.Options, preview bool) (path string, m support.Manifest,
	err error,
) {
	defer env.whileWaiting(func() Message { return Say("collecting") })()
	if preview {
		m, err = support.Preview(ctx, options)
	} else {
		path, m, err = support.Save(ctx, options)
	}
	if err != nil && ctx.Err() == nil {
		err = Failed(Say("the support bundle could not be saved")).Because(English(pathError(err))).
			Advise(Plain("panelctl support --output /tmp"), Plain("panelctl doctor"))
	}
	return path, m, err
}

// bundleDocument is what `panelctl support --json` prints: the manifest and where the file lies.
type bundleDocument struct {
	support.Manifest
	Path *string `json:"path"`
}

func (env *Env) printManifest(path string, m support.Manifest) error {
	document := bundleDocument{Manifest: m}
	fields := []Field{
		{Key: "since", Label: "Logs since", Value: m.Since.Format(time.RFC3339)},
		{Key: "files", Label: "Files", Value: strings.Join(fileNames(m), ", ")},
		{Key: "masked", Label: "Masked", Value: fmt.Sprint(m.MaskedTotal()), Shown: env.maskedText(m)},
		{
			Key: "missing", Label: "Missing", Value: orDash(missingNames(m, "en")),
			Shown: Plain(orDash(missingNames(m, env.language()))),
		},
		{Key: "bytes", Label: "Size", Value: fmt.Sprint(m.Bytes), Shown: Say("%d KB before packing", m.Bytes/1000)},
	}
	if path != "" {
		document.Path = &path
		fields = append([]Field{{Key: "path", Label: "Saved", Value: path}}, fields...)
	}
	return env.Record(document, fields...)
}

func fileNames(m support.Manifest) []string {
	var names []string
	for _, file := range m.Files {
		names = append(names, file.Name)
	}
	return names
}

func missingNames(m support.Manifest, language string) string {
	var names []string
	for _, missing := range m.Missing {
		names = append(names, missing.Name+" ("+missing.In(language)+")")
	}
	return strings.Join(names, ", ")
}

func orDash(text string) string { return firstOf(text, "-") }

// maskedText is "37 values: address 20, key 1, password 4, token 12".
func (env *Env) maskedText(m support.Manifest) Message {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(m.Masked)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", env.kindWord(kind), m.Masked[kind]))
	}
	if len(kinds) == 0 {
		return Say("nothing had to be masked")
	}
	return Say("%d values: %s", m.MaskedTotal(), strings.Join(kinds, ", "))
}

func (env *Env) kindWord(kind string) string {
	switch kind {
	case "password":
		return env.T("passwords")
	case "token":
		return env.T("tokens")
	case "key":
		return env.T("keys")
	case "address":
		return env.T("addresses")
	}
	return env.T("names of clients")
}

// sendBundle asks once more: what leaves the machine does not come back.
func (env *Env) sendBundle(ctx context.Context, path, address, proxy string) error {
	if err := env.Confirm(Say("the bundle is saved as %s", path), Say("Send it to %s? Type yes:", address),
		"yes"); err != nil {
		return err
	}
	if err := support.Send(ctx, path, address, proxy); err != nil {
		return Unreachable(Say("the support bundle could not be sent")).Because(causeOfSilence(err)).
			Advise(Say("send the file %s another way", path))
	}
	env.Note(Say("sent to %s", address))
	return nil
}
