package jobs

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// bridge brings River's warnings and errors into the panel's log.
type bridge struct {
	log    *zap.Logger
	fields []zap.Field
}

// Enabled leaves out what River tells of its everyday life.
func (b bridge) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle writes one line.
func (b bridge) Handle(_ context.Context, record slog.Record) error {
	level := zapcore.WarnLevel
	if record.Level >= slog.LevelError {
		level = zapcore.ErrorLevel
	}
	fields := b.fields
	record.Attrs(func(a slog.Attr) bool {
		fields = append(fields, zap.Any(a.Key, a.Value.Any()))
		return true
	})
	b.log.Log(level, record.Message, fields...)
	return nil
}

// WithAttrs gives a handler that adds the attributes to every line.
func (b bridge) WithAttrs(attrs []slog.Attr) slog.Handler {
	fields := append([]zap.Field{}, b.fields...)
	for _, a := range attrs {
		fields = append(fields, zap.Any(a.Key, a.Value.Any()))
	}
	return bridge{log: b.log, fields: fields}
}

// WithGroup changes nothing: River uses no groups.
func (b bridge) WithGroup(string) slog.Handler { return b }
