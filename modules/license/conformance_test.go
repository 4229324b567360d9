package license

import (
	"testing"

	"panel/platform/paneltest"
)

func TestConformance(t *testing.T) { paneltest.Check(t, Module()) }
