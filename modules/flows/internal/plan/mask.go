package plan

import (
	"encoding/json"
	"fmt"
)

// Stars stands for a secret.
const Stars = "***"

var secretFields = map[string]bool{
	"password": true, "pass": true, "id": true, "auth": true, "key": true, "privateKey": true, "secretKey": true, "mldsa65Seed": true, "shortIds": true, "shortId": true,
}

// Masked reads a rendered configuration and hides every secret in it.
func Masked(config []byte) (map[string]any, error) {
	var tree map[string]any
	if err := json.Unmarshal(config, &tree); err != nil {
		return nil, fmt.Errorf("read a rendered configuration: %w", err)
	}
	mask(tree)
	return tree, nil
}

func mask(node any) {
	switch value := node.(type) {
	case map[string]any:
		for key, item := range value {
			if secretFields[key] {
				value[key] = Stars
				continue
			}
			mask(item)
		}
	case []any:
		for _, item := range value {
			mask(item)
		}
	}
}
