package support

import (
	"context"
)

// part is the content of one file, already masked.
type part struct {
	name    string
	content []byte
}

func gather(context.Context, Options) (Manifest, []part, error) {
	return Manifest{Schema: Schema, Masked: map[string]int{}}, nil, nil
}
