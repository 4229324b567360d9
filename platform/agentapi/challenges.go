package agentapi

// ChallengePath is where an authority looks for the answer to a token, on the server that a host name leads to
// (RFC 8555, 8.3).
const ChallengePath = "/.well-known/acme-challenge/"

// Challenges is the content of DocumentChallenges: what the node answers certificate authorities that ask over HTTP
// whether a host name is ours.
type Challenges struct {
	Port    int               `json:"port"` // that the agent listens on while there is anything to answer
	Answers []ChallengeAnswer `json:"answers"`
}

// ChallengeAnswer is the answer to one token. It is no secret: whoever asks for the token is told.
type ChallengeAnswer struct {
	Host  string `json:"host"`
	Token string `json:"token"`
	Text  string `json:"text"`
}
