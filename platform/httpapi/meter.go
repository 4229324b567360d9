package httpapi

import "time"

type noMeter struct{}

// Began does nothing.
func (noMeter) Began() {}

// Route counts nothing.
func (noMeter) Route(string, string) func(int, time.Duration) { return func(int, time.Duration) {} }
