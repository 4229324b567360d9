package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/vault"
)

const (
	stepLength    = 30 * time.Second
	recoveryCodes = 10
	issuer        = "Panel"
)

// enrolment is a fresh authenticator secret; it is shown this once and counts only after a code confirms it.
type enrolment struct {
	Secret string `json:"secret"`
	URI    string `json:"uri" doc:"otpauth address for a QR code"`
}

func place(accountID string) vault.Ref {
	return vault.Ref{Table: "totp_factors", ID: accountID, Column: "sealed_secret"}
}

// beginTOTP makes a new secret for the caller. Fault: totp_enabled (409) where one is confirmed already.
func (s *service) beginTOTP(ctx context.Context, password string) (*enrolment, error) {
	owner, err := s.confirmed(ctx, "password", password)
	if err != nil {
		return nil, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: owner.Username})
	if err != nil {
		return nil, err
	}
	row := &totpRow{
		AccountID: owner.ID, SealedSecret: s.vault.Seal(place(owner.ID), []byte(key.Secret())),
		CreatedAt: s.clock.Now().UTC(),
	}
	return &enrolment{Secret: key.Secret(), URI: key.URL()}, s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		begun, err := s.store.saveTOTP(ctx, row)
		if err == nil && !begun {
			return fault.Conflict("totp_enabled", "an authenticator app is set up already; remove it first")
		}
		return err
	})
}

// confirmTOTP switches the authenticator on with its first code and gives the recovery codes, shown this once.
func (s *service) confirmTOTP(ctx context.Context, code string) ([]string, error) {
	owner, err := s.store.account(ctx, access.From(ctx).AccountID)
	if err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		row, err := s.store.totp(ctx, owner.ID)
		if err != nil {
			return err
		}
		if row == nil || row.ConfirmedAt != nil {
			return fault.Conflict("totp_not_begun", "begin setting up the authenticator app first")
		}
		step := s.matching(row, code)
		if step == 0 {
			return fault.InvalidValue("code", "the code is not the one that the app shows now")
		}
		now := s.clock.Now().UTC()
		row.ConfirmedAt, row.LastStep = &now, step
		if _, err := s.store.saveTOTP(ctx, row); err != nil {
			return err
		}
		if err := s.store.replaceRecoveryCodes(ctx, owner.ID, hashes); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "authenticator", "unset", "set")
	})
	return codes, err
}

// renewRecoveryCodes replaces the caller's recovery codes, used or not; the app stays as it is.
// Faults: invalid_value (422), totp_missing (409) without a confirmed app, throttled (429).
func (s *service) renewRecoveryCodes(ctx context.Context, password string) ([]string, error) {
	owner, err := s.confirmed(ctx, "password", password)
	if err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		confirmed, err := s.store.lockTOTP(ctx, owner.ID)
		if err != nil {
			return err
		}
		if !confirmed {
			return fault.Conflict("totp_missing", "recovery codes come with an authenticator app; set one up first")
		}
		if err := s.store.replaceRecoveryCodes(ctx, owner.ID, hashes); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "recovery_codes", "set", "set")
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

func (s *service) removeTOTP(ctx context.Context, password string) error {
	owner, err := s.confirmed(ctx, "password", password)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		if err := s.store.removeTOTP(ctx, owner.ID); err != nil {
			return err
		}
		if err := s.store.replaceRecoveryCodes(ctx, owner.ID, nil); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "authenticator", "set", "unset")
	})
}

// spendCode takes a code of the present, the last or the next half minute, once.
func (s *service) spendCode(ctx context.Context, accountID, code string) (bool, error) {
	row, err := s.store.totp(ctx, accountID)
	if err != nil || row == nil || row.ConfirmedAt == nil {
		return false, err
	}
	step := s.matching(row, code)
	if step == 0 {
		return false, nil
	}
	return s.store.spendStep(ctx, accountID, step)
}

// matching gives the time step that the code belongs to, or zero.
func (s *service) matching(row *totpRow, code string) int64 {
	secret, err := s.vault.Open(place(row.AccountID), row.SealedSecret)
	if err != nil {
		return 0
	}
	now := s.clock.Now()
	for _, shift := range []time.Duration{0, -stepLength, stepLength} {
		at := now.Add(shift)
		wanted, err := totp.GenerateCodeCustom(string(secret), at, totp.ValidateOpts{
			Period: 30, Digits: otp.DigitsSix,
			Algorithm: otp.AlgorithmSHA1,
		})
		if err == nil && subtle.ConstantTimeCompare([]byte(wanted), []byte(code)) == 1 {
			return at.Unix() / int64(stepLength.Seconds())
		}
	}
	return 0
}

const recoveryBytes = 10

// newRecoveryCodes gives codes of 80 random bits and their hashes; only the hashes are stored.
func newRecoveryCodes() (codes []string, hashes [][]byte) {
	for range recoveryCodes {
		raw := make([]byte, recoveryBytes)
		_, _ = rand.Read(raw) // never fails: the runtime ends the process instead
		text := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, digestOf(text))
	}
	return codes, hashes
}

// normalised lets people type a recovery code with capitals, spaces or without dashes.
func normalised(code string) string {
	return strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(code))
}
