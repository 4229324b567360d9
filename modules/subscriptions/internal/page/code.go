package page

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/boombuler/barcode/qr"
)

const quiet = 4 // modules of free space around a code

// drawn draws a QR code of a text: each row of dark modules is a line.
func drawn(text string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("draw the code of a subscription: %w", err)
	}
	size := code.Bounds().Dx()
	dark := func(x, y int) bool {
		if x == size {
			return false
		}
		r, _, _, _ := code.At(x, y).RGBA()
		return r == 0
	}
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for dark(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	side := size + 2*quiet
	//nolint:gosec // numbers alone
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %d" shape-rendering="crispEdges" aria-hidden="true">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`, side, side, side, side, path.String())), nil
}
