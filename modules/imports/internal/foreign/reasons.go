package foreign

import "slices"

// Code says why something was not read, or what is another in the flow. It is stable; screens have its words.
type Code string

// The codes.
const (
	ProtocolUnknown  Code = "protocol_not_supported"
	TransportUnknown Code = "transport_not_supported"
	SecurityUnknown  Code = "security_not_supported"
	MethodUnknown    Code = "method_not_supported"
	PortUnknown      Code = "port_not_read"
	TargetUnknown    Code = "target_not_read"
	NotReadable      Code = "not_readable"
	TooMany          Code = "over_limit"
	SettingLeftOut   Code = "setting_left_out"
	FallbacksLeftOut Code = "fallbacks_left_out"
	OutboundLeftOut  Code = "outbound_left_out"
	RuleLeftOut      Code = "rule_left_out"
	SectionLeftOut   Code = "section_left_out"
	ClientNoSecret   Code = "client_without_secret"
	ClientOtherFlow  Code = "client_other_flow"
	TimeTooLong      Code = "time_too_long"
	ResetLeftOut     Code = "reset_left_out"
	SubscriptionWeak Code = "subscription_too_short"
	SubscriptionBoth Code = "subscription_shared"
	MLDSALeftOut     Code = "mldsa_left_out"
	EmptyShortID     Code = "empty_short_id"
	DomainNeeded     Code = "domain_needed"
	SwitchedOff      Code = "switched_off"
	NewestMissing    Code = "newest_missing"
	NoClients        Code = "no_clients"
	KeyNotExported   Code = "key_not_exported"
	NodeUnknown      Code = "node_unknown"
	WireGuardAnew    Code = "wireguard_made_anew"
)

// reasons are the codes in words.
var reasons = map[Code]string{
	ProtocolUnknown:  "flows do not speak this protocol",
	TransportUnknown: "flows do not speak this transport with this protocol",
	SecurityUnknown:  "flows do not have this protocol without TLS or REALITY, or with this security",
	MethodUnknown:    "flows speak the methods 2022-blake3-aes-128-gcm and 2022-blake3-aes-256-gcm of Shadowsocks alone",
	PortUnknown:      "this is no port and no range of at most 1000 ports",
	TargetUnknown:    "the target of REALITY is no host with a port; name one in the draft",
	NotReadable:      "this is not in the form that the program writes",
	TooMany:          "there is more of it than one import takes; import the rest by itself",
	SettingLeftOut:   "flows have no such setting; it is left out",
	FallbacksLeftOut: "fallbacks to other listeners are left out",
	OutboundLeftOut:  "this outbound is left out: traffic leaves from the node itself until you draw another exit",
	RuleLeftOut:      "this rule is left out: flows cannot choose traffic like this",
	SectionLeftOut:   "flows have no place for this section; it is left out",
	ClientNoSecret:   "this client has no secret that the listener would accept; it is left out",
	ClientOtherFlow:  "this client uses another XTLS flow than most of its listener, so that its old link stops working",
	TimeTooLong:      "the time of this client was to last for more than ten years from its first use; it has no end now",
	ResetLeftOut:     "quotas begin anew daily, weekly or monthly; this one does not begin anew any more",
	SubscriptionWeak: "this subscription URL could be guessed and is not kept: give the client a new one",
	SubscriptionBoth: "another client with other limits has the same subscription and keeps it: give this one a new URL",
	MLDSALeftOut:     "the ML-DSA-65 key is made anew, so that old links that prove it (pqv) stop working",
	EmptyShortID:     "old links without a short id stop working",
	DomainNeeded:     "TLS shows a certificate: bind this host name to the node and choose it in the draft",
	SwitchedOff:      "it was switched off there",
	NewestMissing:    "the newest changes may lie in the file beside it (-wal): stop the program before you copy its database",
	NoClients:        "it has no clients; the flow begins with one of its own",
	KeyNotExported:   "a flow is exported without its keys, so that links of this flow are other ones",
	NodeUnknown:      "there is no node of this name; choose one in the draft",
	WireGuardAnew:    "flows make keys and addresses of WireGuard themselves: draw such an entry and give its peers new files",
}

// Reason is the code in words.
func (c Code) Reason() string { return reasons[c] }

// Codes lists all codes, sorted.
func Codes() []Code {
	out := make([]Code, 0, len(reasons))
	for code := range reasons {
		out = append(out, code)
	}
	slices.Sort(out)
	return out
}
