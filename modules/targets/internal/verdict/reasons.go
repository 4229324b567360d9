package verdict

// reasons are all that is said about targets. Screens translate them by their codes, commands by their texts.
var reasons = map[string]Reason{
	"tls13":        {Effect: Good, Points: 15, Text: "it speaks TLS 1.3"},
	"no_tls13":     {Effect: Bad, Text: "it does not speak TLS 1.3"},
	"h2":           {Effect: Good, Points: 15, Text: "it offers HTTP/2"},
	"no_h2":        {Effect: Bad, Text: "it does not offer HTTP/2"},
	"post_quantum": {Effect: Good, Points: 20, Text: "its key exchange withstands quantum computers"},
	"x25519":       {Effect: Good, Points: 10, Text: "its key exchange is X25519"},
	"other_group":  {Effect: Bad, Text: "its key exchange is not X25519, which REALITY needs"},
	"ocsp":         {Effect: Good, Points: 2, Text: "it proves that its certificate is not revoked"},

	"name_valid":    {Effect: Good, Points: 15, Text: "its certificate is for the name that was asked for"},
	"name_invalid":  {Effect: Bad, Text: "its certificate is for another name"},
	"no_name":       {Effect: Bad, Text: "its certificate names no host that clients could ask for"},
	"chain_valid":   {Effect: Good, Points: 10, Text: "its certificate is trusted"},
	"chain_invalid": {Effect: Bad, Text: "its certificate is of an authority that nobody trusts"},
	"self_signed":   {Effect: Bad, Text: "it has signed its certificate itself"},
	"expired":       {Effect: Bad, Text: "its certificate has expired"},
	"expires_soon":  {Effect: Warning, Points: -10, Text: "its certificate expires within a week"},

	"direct":           {Effect: Good, Points: 5, Text: "its first page redirects nowhere else"},
	"redirects_own":    {Effect: Good, Points: 2, Text: "its first page redirects to the same site, with or without www"},
	"redirects":        {Effect: Bad, Text: "its first page redirects to another site"},
	"redirects_inside": {Effect: Bad, Text: "its first page redirects into a private network; nobody followed"},
	"no_page":          {Effect: Warning, Points: -5, Text: "it did not answer a request for its first page"},
	"h3":               {Effect: Good, Points: 3, Text: "it offers HTTP/3"},
	"cdn": {
		Effect: Warning, Points: -40,
		Text: "it stands behind a CDN: strangers could reach other sites of that network through the node, so limit " +
			"what they may transfer",
	},

	"dns_matches":   {Effect: Good, Points: 5, Text: "its name leads to its address"},
	"dns_elsewhere": {Effect: Warning, Points: -10, Text: "its name leads to another address"},
	"near":          {Effect: Good, Points: 10, Text: "it is near: a connection takes at most 50 ms"},
	"middling":      {Effect: Good, Points: 6, Text: "a connection takes at most 150 ms"},
	"far":           {Effect: Warning, Points: -5, Text: "it is far: a connection takes longer than 300 ms"},

	"inside":     {Effect: Bad, Text: "it is the node itself or in a private network; nobody connected to it"},
	"no_address": {Effect: Nothing, Text: "its name leads to no address"},
	"no_answer":  {Effect: Nothing, Text: "nobody took the connection"},
	"no_tls":     {Effect: Nothing, Text: "no TLS handshake came about in time"},
}

// Codes lists the codes of all reasons with their texts.
func Codes() map[string]string {
	texts := make(map[string]string, len(reasons))
	for code, r := range reasons {
		texts[code] = r.Text
	}
	return texts
}
