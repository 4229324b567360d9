package flows

import (
	"errors"

	"panel/modules/nodes/nodesapi"
)

func missing(err error) bool { return errors.Is(err, nodesapi.ErrUnknown) }
