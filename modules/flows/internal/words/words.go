// Package words holds what applies say about themselves: a stable code, and the sentence in English.
package words

import (
	"strings"

	"panel/modules/flows/internal/plan"
)

// sentences by code; a name in braces is filled from the params.
var sentences = map[string]string{
	// The apply as a whole.
	"noop":             "nothing to change: this is installed already",
	"starting":         "waiting for its turn",
	"undo_first":       "an earlier apply left something that {stage} has to undo first",
	"stage_running":    "{stage} is at work",
	"stage_waiting":    "{stage} waits",
	"waiting_nodes":    "waiting for the nodes",
	"waiting_clients":  "waiting until {node} holds the clients of the flow",
	"waiting_flow":     "waiting for another flow's apply on the same node",
	"preparing":        "every node fetches its configuration and tests it",
	"ready":            "every node accepts its configuration",
	"parking":          "{stage} waits; the nodes are given back until it goes on",
	"switching":        "nodes switch, exits first",
	"probing":          "a real client goes through the new listeners",
	"canary_starting":  "the nodes of the canary come to serve the new version for good",
	"canary_watching":  "some nodes serve the new version and are watched; the rest has not changed",
	"canary_read_only": "the time of the canary is over; the rest does not follow while the panel is read-only",
	"canary_not_in_plan": "the time of the canary is over; the rest does not follow: flows are not in the plan of the " +
		"license",
	"canary_stopped": "the time of the canary is over; the rest does not follow while everything automatic is stopped",
	"canary_waits":   "the time of the canary is over; the rest does not follow before these agents answer: {nodes}",
	"returning":      "the nodes of the canary return to the installed version",
	"committing":     "the new configuration becomes the installed one",
	"reverting":      "something failed; nodes return to the installed version",
	"undoing":        "what other parts of the panel did for this apply is undone",
	"failed":         "failed: {reason}; the installed version keeps running",
	"applied":        "installed on every node",
	"enabled":        "the installed version runs again",
	"rerendered":     "the installed version follows what it depends on",
	"restored":       "the node runs its part of the installed version again",
	"disabled":       "taken off its nodes; nodes that were away drop it when they return",
	"deleted":        "deleted; nodes that were away drop it when they return",

	// The stages of a step.
	"only_drops":        "the node only drops the flow",
	"checked_by_entry":  "the client that goes through the entry checks it",
	"panel_serves":      "a proxy panel serves the entry: no client of the panel could go through it",
	"no_public_url":     "the panel has no address that a client could be sent to: set PANEL_PUBLIC_URL",
	"accepted":          "the core accepts the configuration",
	"desired":           "it is the desired configuration now",
	"switched":          "switched in {ms} ms",
	"got_through":       "a client got through in {ms} ms; the exit address is {exit_ip}",
	"returned":          "back on the installed version",
	"returns_by_itself": "the agent returns to the installed version by itself: {reason}",
	"follows_by_itself": "the agent follows the desired configuration by itself: {reason}",

	// Other parts of the panel.
	"not_reached": "the apply did not get there",
	"no_preview":  "it could not say what it would do",
}

// Say gives the sentence of a code; params are names and values in turn.
func Say(code string, params ...string) plan.Text {
	text := sentences[code]
	for i := 0; i+1 < len(params); i += 2 {
		text = strings.ReplaceAll(text, "{"+params[i]+"}", params[i+1])
	}
	return plan.Say(code, text, params...)
}
