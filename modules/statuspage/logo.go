package statuspage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	_ "image/jpeg" // a form of logos
	_ "image/png"  // a form of logos

	_ "golang.org/x/image/webp" // a form of logos

	"panel/platform/fault"
)

const (
	largestLogo  = 100 << 10
	widestLogo   = 4096 // pixels of a side
	logoTooLarge = "a logo has at most 100 kB and 4096 pixels on a side"
)

var logoTypes = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}

// setLogo gives a page its logo. The form is read from the image and not from what the caller says.
// Faults: not_found (404), invalid_value (422).
func (s *service) setLogo(ctx context.Context, id string, content []byte) error {
	if _, err := s.store.page(ctx, id, false); err != nil {
		return err
	}
	shape, form, err := image.DecodeConfig(bytes.NewReader(content))
	switch {
	case err != nil || logoTypes[form] == "":
		return fault.InvalidValue("body", "a logo is a PNG, JPEG or WebP image")
	case len(content) > largestLogo || shape.Width > widestLogo || shape.Height > widestLogo:
		return fault.InvalidValue("body", logoTooLarge)
	}
	sum := sha256.Sum256(content)
	row := logoRow{
		PageID: id, SHA256: hex.EncodeToString(sum[:]), MediaType: logoTypes[form], Content: content,
		CreatedAt: s.now(),
	}
	return s.changeLogo(ctx, id, row.SHA256, func(ctx context.Context) error {
		_, err := s.store.db.In(ctx).NewInsert().Model(&row).On("conflict do nothing").Exec(ctx)
		return err
	})
}

// changeLogo changes the logo of a draft, whatever its revision is.
func (s *service) changeLogo(ctx context.Context, id, sha256 string, store func(ctx context.Context) error) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.page(ctx, id, true)
		if err != nil {
			return err
		}
		if err := store(ctx); err != nil {
			return err
		}
		err = s.redraft(ctx, id, row.Revision, func(_ context.Context, d *draft) error {
			d.Theme.LogoSHA256 = sha256
			return nil
		})
		if err != nil {
			return err
		}
		return s.store.trimLogos(ctx, id)
	})
}

// removeLogo takes the logo from a page. Fault: not_found (404).
func (s *service) removeLogo(ctx context.Context, id string) error {
	return s.changeLogo(ctx, id, "", func(context.Context) error { return nil })
}

// logoOf gives the logo of a draft. Fault: not_found (404).
func (s *service) logoOf(ctx context.Context, id string) (logoRow, error) {
	row, err := s.store.page(ctx, id, false)
	if err != nil {
		return logoRow{}, err
	}
	return s.store.logo(ctx, row.ID, row.Draft.Theme.LogoSHA256)
}
