package accounts

import (
	"context"
	"encoding/json"
	"time"

	"panel/platform/access"
)

type secondFactorInput struct {
	Body struct {
		Challenge    string          `json:"challenge" maxLength:"128"`
		Code         string          `json:"code,omitempty" maxLength:"16" doc:"Six digits of the authenticator app"`
		RecoveryCode string          `json:"recovery_code,omitempty" maxLength:"32"`
		Passkey      json.RawMessage `json:"passkey,omitempty" doc:"The browser's answer to passkey_options"`
	}
}

func (h *handlers) secondFactor(ctx context.Context, in *secondFactorInput) (*signedInOutput, error) {
	opened, err := h.service.finishLogin(ctx, in.Body.Challenge, shown{
		code: in.Body.Code, recoveryCode: in.Body.RecoveryCode, passkey: in.Body.Passkey,
	})
	return &signedInOutput{Body: opened}, err
}

// passkey is one registered passkey as its owner sees it.
type passkey struct {
	ID         string     `json:"id" format:"uuid"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

type factorsOutput struct {
	Body struct {
		TOTPEnabled       bool      `json:"totp_enabled"`
		RecoveryCodesLeft int       `json:"recovery_codes_left"`
		Passkeys          []passkey `json:"passkeys"`
	}
}

func (h *handlers) factors(ctx context.Context, _ *none) (*factorsOutput, error) {
	id := access.From(ctx).AccountID
	own, err := h.service.factorsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	left, err := h.service.store.recoveryCodesLeft(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &factorsOutput{}
	out.Body.TOTPEnabled, out.Body.RecoveryCodesLeft = own.totp != nil && own.totp.ConfirmedAt != nil, left
	out.Body.Passkeys = []passkey{}
	for _, row := range own.passkeys {
		out.Body.Passkeys = append(out.Body.Passkeys, row.shown())
	}
	return out, nil
}

func (r *passkeyRow) shown() passkey {
	return passkey{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt}
}

type confirmInput struct {
	Body struct {
		Password string `json:"password" maxLength:"128" doc:"Your own password again"`
	}
}

type enrolmentOutput struct{ Body *enrolment }

func (h *handlers) beginTOTP(ctx context.Context, in *confirmInput) (*enrolmentOutput, error) {
	begun, err := h.service.beginTOTP(ctx, in.Body.Password)
	return &enrolmentOutput{Body: begun}, err
}

type codeInput struct {
	Body struct {
		Code string `json:"code" maxLength:"16"`
	}
}

type recoveryOutput struct {
	Body struct {
		RecoveryCodes []string `json:"recovery_codes" doc:"Shown this once"`
	}
}

func (h *handlers) confirmTOTP(ctx context.Context, in *codeInput) (*recoveryOutput, error) {
	codes, err := h.service.confirmTOTP(ctx, in.Body.Code)
	out := &recoveryOutput{}
	out.Body.RecoveryCodes = codes
	return out, err
}

func (h *handlers) renewRecoveryCodes(ctx context.Context, in *confirmInput) (*recoveryOutput, error) {
	codes, err := h.service.renewRecoveryCodes(ctx, in.Body.Password)
	out := &recoveryOutput{}
	out.Body.RecoveryCodes = codes
	return out, err
}

func (h *handlers) removeTOTP(ctx context.Context, in *confirmInput) (*none, error) {
	return nil, h.service.removeTOTP(ctx, in.Body.Password)
}

type registrationOutput struct{ Body *registration }

func (h *handlers) beginPasskey(ctx context.Context, in *confirmInput) (*registrationOutput, error) {
	begun, err := h.service.beginPasskey(ctx, in.Body.Password)
	return &registrationOutput{Body: begun}, err
}

type finishPasskeyInput struct {
	Body struct {
		Challenge  string          `json:"challenge" maxLength:"128"`
		Name       string          `json:"name" minLength:"1" maxLength:"64"`
		Credential json.RawMessage `json:"credential" doc:"The browser's answer to the options"`
	}
}

type passkeyOutput struct{ Body passkey }

func (h *handlers) finishPasskey(ctx context.Context, in *finishPasskeyInput) (*passkeyOutput, error) {
	row, err := h.service.finishPasskey(ctx, in.Body.Challenge, in.Body.Name, in.Body.Credential)
	if err != nil {
		return nil, err
	}
	return &passkeyOutput{Body: row.shown()}, nil
}

type renamePasskeyInput struct {
	ID   string `path:"id"`
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"64" pattern:"\\S" patternDescription:"a name that can be seen"`
	}
}

func (h *handlers) renamePasskey(ctx context.Context, in *renamePasskeyInput) (*passkeyOutput, error) {
	row, err := h.service.renamePasskey(ctx, in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	return &passkeyOutput{Body: row.shown()}, nil
}

type removePasskeyInput struct {
	ID   string `path:"id"`
	Body struct {
		Password string `json:"password" maxLength:"128" doc:"Your own password again"`
	}
}

func (h *handlers) removePasskey(ctx context.Context, in *removePasskeyInput) (*none, error) {
	return nil, h.service.removePasskey(ctx, in.ID, in.Body.Password)
}
