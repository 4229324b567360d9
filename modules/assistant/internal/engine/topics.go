package engine

import "slices"

// topics are the kinds of questions. Of two that explain a question equally well the first is taken. They are made at
// the first question, because what answers them leads back here.
func topics() []topic { return slices.Concat(taskTopics, nodeTopics, flowTopics, panelTopics) }

var taskTopics = []topic{
	{name: "task_notifications", all: [][]concept{
		{"notification", "setup"},
		{"notification", "how"},
		{"notification", "resume"},
		{"notification", "first"},
		{"notification", "create"},
		{"notification"},
	}, may: []concept{"how", "do", "put"}, not: []concept{"who", "why", "count"}, answer: (*talk).taskNotifications},
	{name: "task_first_flow", all: [][]concept{
		{"first", "flow"},
		{"create", "flow"},
		{"how", "create", "flow"},
		{"do", "flow"},
		{"setup", "flow"},
		{"first"},
		{"how", "first", "flow"},
	}, may: []concept{"how", "setup", "create", "do"}, not: []concept{"who", "count"}, answer: (*talk).taskFirstFlow},
	{
		name: "task_replace_node", all: [][]concept{{"replace", "node"}, {"replace"}, {"how", "replace", "node"}},
		may: []concept{"how", "change", "do"}, free: true, not: []concept{"who"}, answer: (*talk).taskReplaceNode,
	},
	{name: "task_read_finding", all: [][]concept{
		{"doctor", "read"}, {"doctor", "how"}, {"finding", "read"}, {"doctor", "finding", "read"}, {"doctor", "mean"},
	}, may: []concept{"how", "finding", "doctor", "read"}, answer: (*talk).taskReadFinding},
	{
		name: "maintenance_on", all: [][]concept{{"maintenance", "put"}, {"maintenance", "resume"}, {"maintenance", "first"}},
		may: []concept{"node"}, not: []concept{"who", "how", "end"}, subject: true, free: true,
		answer: func(t *talk) { t.maintenance(true) },
	},
	{
		name: "maintenance_off", all: [][]concept{{"maintenance", "end"}}, may: []concept{"node"},
		not: []concept{"who", "how"}, subject: true, free: true, answer: func(t *talk) { t.maintenance(false) },
	},
	{
		name: "flow_off", all: [][]concept{{"pause"}, {"flow", "pause"}}, may: []concept{"flow"},
		not: []concept{"who", "how", "automation", "notification"}, subject: true, free: true,
		answer: func(t *talk) { t.switched(false) },
	},
	{
		name: "flow_on", all: [][]concept{{"resume"}, {"flow", "resume"}}, may: []concept{"flow"},
		not: []concept{"who", "how", "automation", "notification", "maintenance"}, subject: true, free: true,
		answer: func(t *talk) { t.switched(true) },
	},
	{
		name: "flow_plan", all: [][]concept{{"plan"}, {"plan", "flow"}}, may: []concept{"flow", "apply", "change", "do"},
		not: []concept{"who", "how", "license"}, subject: true, free: true, answer: (*talk).planned,
	},
	{
		name: "backup_now", all: [][]concept{{"backup", "do"}}, not: []concept{"who", "how", "last", "since"},
		answer: (*talk).backupNow,
	},
	{
		name: "automation_stop", all: [][]concept{{"automation", "pause"}, {"automation", "end"}},
		not: []concept{"who", "how"}, answer: (*talk).automationStop,
	},
	{name: "help", all: [][]concept{{"able"}}, may: []concept{"do", "how"}, answer: (*talk).help},
}

var nodeTopics = []topic{
	{name: "offline_nodes", all: [][]concept{{"node", "offline"}, {"node", "down"}}, may: []concept{
		"since", "count", "online", "last",
	}, answer: (*talk).offlineNodes},
	{
		name: "maintained_nodes", all: [][]concept{{"node", "maintenance"}}, may: []concept{"count", "since"},
		not: []concept{"who"}, answer: (*talk).maintainedNodes,
	},
	{
		name: "red", all: [][]concept{{"red"}, {"red", "since"}, {"red", "node"}, {"red", "count"}},
		may: []concept{"since", "down", "offline"}, answer: (*talk).red,
	},
	{
		name: "count_nodes", all: [][]concept{{"count", "node"}}, may: []concept{"online", "state"},
		answer: (*talk).countNodes,
	},
	{
		name: "node_dies", all: [][]concept{{"die"}, {"die", "node"}, {"die", "use"}}, may: []concept{"node", "flow", "red", "down", "offline"},
		subject: true, free: true, answer: (*talk).nodeDies,
	},
	{
		name: "flows_of_node", all: [][]concept{{"flow", "use"}, {"flow", "node"}, {"flow", "through"}, {"flow", "use", "node"}},
		may: []concept{"through", "count", "node"}, not: []concept{"why", "who"}, subject: true, free: true,
		answer: (*talk).flowsOfNode,
	},
	{
		name: "object_state", all: [][]concept{
			{"state"},
			{"red"},
			{"offline"},
			{"down"},
			{"why", "red"},
			{"why", "offline"},
			{"state", "node"},
			{"state", "flow"},
			{"red", "node"},
			{"red", "flow"},
			{"why", "red", "node"},
			{"why", "red", "flow"},
			{"since", "offline"},
			{"online"},
		}, may: []concept{"node", "flow", "why", "since", "how", "online", "mean"}, not: []concept{"who", "leave", "count"},
		subject: true, free: true, answer: (*talk).objectState,
	},
	{
		name: "node_traffic", all: [][]concept{{"traffic"}, {"traffic", "count"}, {"traffic", "node"}, {"traffic", "flow"}},
		may: []concept{"node", "flow", "count", "use", "how"}, subject: true, free: true, answer: (*talk).objectTraffic,
	},
	{
		name: "fleet_traffic", all: [][]concept{{"traffic"}, {"traffic", "count"}}, may: []concept{"node", "use", "how"},
		answer: (*talk).fleetTraffic,
	},
}

var flowTopics = []topic{
	{
		name: "flow_leaves", all: [][]concept{
			{"leave"},
			{"leave", "why"},
			{"leave", "flow"},
			{"leave", "flow", "why"},
			{"why", "through"},
			{"why", "flow", "through"},
			{"leave", "traffic"},
		}, may: []concept{"through", "why", "flow", "node", "traffic", "country", "use", "how"}, not: []concept{"who", "count"},
		subject: true, free: true, answer: (*talk).flowLeaves,
	},
	{name: "red_flows", all: [][]concept{{"flow", "red"}, {"flow", "down"}, {"flow", "offline"}}, may: []concept{
		"since", "count",
	}, answer: (*talk).redFlows},
	{name: "failed_applies", all: [][]concept{{"flow", "apply", "succeed"}, {"flow", "apply", "red"}}, may: []concept{
		"count",
	}, not: []concept{"who"}, answer: (*talk).failedApplies},
	{
		name: "count_flows", all: [][]concept{{"count", "flow"}}, may: []concept{"apply"},
		not: []concept{"node"}, answer: (*talk).countFlows,
	},
	{
		name: "count_clients", all: [][]concept{{"count", "client"}}, may: []concept{"online", "state"},
		answer: (*talk).countClients,
	},
	{name: "pools", all: [][]concept{{"pool"}, {"pool", "red"}, {"pool", "down"}, {"pool", "state"}}, may: []concept{
		"state", "red", "down", "count", "since", "how",
	}, answer: (*talk).pools},
}

var panelTopics = []topic{
	{name: "who_changed", all: [][]concept{
		{"who", "change"},
		{"who", "delete"},
		{"who", "create"},
		{"who", "disable"},
		{"who", "pause"},
		{"who", "enable"},
		{"who", "apply"},
		{"who", "restart"},
		{"who", "login"},
		{"who", "maintenance"},
		{"who", "end"},
		{"who", "halted"},
		{"who", "do"},
		{"since", "change"},
		{"who", "change", "port"},
		{"since", "apply"},
		{"who", "resume"},
		{"who", "put", "maintenance"},
		{"login", "since"},
		{"who", "replace"},
		{"what", "change"},
	}, may: []concept{
		"port", "yesterday", "today", "week", "hour", "last", "node", "flow", "client", "account", "certificate", "license",
		"backup", "domain", "since", "maintenance", "put", "automation", "pool", "notification", "change", "apply", "who",
		"disable", "enable", "pause", "resume", "end",
	}, free: true, answer: (*talk).whoChanged},
	{name: "certificates", all: [][]concept{
		{"certificate", "expire"},
		{"certificate", "since"},
		{"certificate", "state"},
		{"certificate", "red"},
		{"certificate"},
	}, may: []concept{
		"since", "domain", "first", "last", "state", "red", "next", "expire",
	}, not: []concept{"who", "create"}, free: true, answer: (*talk).certificates},
	{name: "license", all: [][]concept{
		{"license"},
		{"license", "expire"},
		{"license", "since"},
		{"license", "plan"},
		{"license", "state"},
		{"readonly"},
		{"readonly", "why"},
		{"license", "readonly"},
	}, may: []concept{"since", "why", "expire", "plan", "state", "mean"}, not: []concept{"who"}, answer: (*talk).license},
	{
		name: "last_backup", all: [][]concept{
			{"backup"},
			{"backup", "last"},
			{"backup", "since"},
			{"backup", "succeed"},
			{"backup", "state"},
			{"backup", "red"},
		},
		may: []concept{"since", "succeed", "state", "last", "red"}, not: []concept{"who", "do"}, answer: (*talk).lastBackup,
	},
	{
		name: "version", all: [][]concept{{"version"}, {"version", "update"}, {"update", "available"}, {"version", "available"}},
		may: []concept{"update", "available", "use"}, not: []concept{"who", "node", "flow"}, answer: (*talk).version,
	},
	{
		name: "agent_versions", all: [][]concept{{"version", "node"}}, may: []concept{"use"},
		not: []concept{"who"}, answer: (*talk).agentVersions,
	},
	{name: "doctor", all: [][]concept{
		{"doctor"}, {"doctor", "finding"}, {"finding"}, {"doctor", "state"}, {"doctor", "red"},
	}, may: []concept{
		"finding", "red", "state", "last", "mean", "doctor",
	}, not: []concept{"how", "read"}, answer: (*talk).doctor},
	{
		name: "automation", all: [][]concept{{"automation"}, {"automation", "state"}, {"automation", "halted"}},
		may: []concept{"state", "why", "since", "who", "use", "disable", "enable"}, not: []concept{"pause"},
		answer: (*talk).automation,
	},
	{name: "own_rights", all: [][]concept{{"self"}, {"self", "access"}}, may: []concept{"access"}, answer: (*talk).ownRights},
	{
		name: "accounts", all: [][]concept{{"who", "access"}, {"account"}, {"account", "count"}, {"account", "who"}},
		may: []concept{"count", "who", "access"}, not: []concept{"change", "delete", "create", "login", "disable"}, answer: (*talk).accounts,
	},
	{name: "running", all: [][]concept{{"running"}}, may: []concept{"use", "count"}, not: []concept{"flow", "node"}, answer: (*talk).running},
	{name: "abuse", all: [][]concept{{"abuse"}, {"abuse", "count"}, {"abuse", "state"}}, may: []concept{"state", "count"}, answer: (*talk).abuse},
	{name: "payments", all: [][]concept{{"payment"}, {"payment", "since"}}, may: []concept{
		"since", "next", "node", "count", "account",
	}, not: []concept{"who"}, answer: (*talk).payments},
}
