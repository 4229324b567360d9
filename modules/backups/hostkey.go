package backups

import (
	"context"

	"panel/platform/fault"
)

// HostKeyQuestion names an SSH server.
type HostKeyQuestion struct {
	Host string `json:"host" minLength:"1" maxLength:"253"`
	Port int    `json:"port,omitempty" minimum:"0" maximum:"65535" doc:"Absent or 0: 22"`
}

type hostKeyInput struct{ Body HostKeyQuestion }

// HostKey is what an SSH server shows now. A person compares it with what the server's operator says, and keeps it in
// the profile; the panel by itself trusts no key that it sees for the first time.
type HostKey struct {
	HostKey     string `json:"host_key" doc:"As a destination takes it"`
	Fingerprint string `json:"fingerprint" doc:"SHA256:…, as ssh-keygen -l prints it"`
}

// hostKey asks an SSH server for its key. Fault: backup_server_unreachable (422).
func (h *handlers) hostKey(ctx context.Context, in *hostKeyInput) (*body[HostKey], error) {
	key, fingerprint, err := h.places.HostKey(ctx, in.Body.Host, in.Body.Port)
	if err != nil {
		return nil, fault.Invalid("backup_server_unreachable",
			"the SSH server did not show a key: check host and port, and that the panel may reach it").Wrap(err)
	}
	return &body[HostKey]{HostKey{HostKey: key, Fingerprint: fingerprint}}, nil
}
