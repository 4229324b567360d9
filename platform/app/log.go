package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"panel/platform/config"
	"panel/platform/logs"
)

const (
	logBuffer = 64 << 10
	logDelay  = 100 * time.Millisecond
)

// newLog writes to the standard error. Lines of every day are gathered for a moment, because a system call for each
// request would cost more than the request's guard; warnings and errors are written at once, with all before them.
func newLog(cfg *config.Config) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.String(config.LogLevel))
	if err != nil {
		return nil, fmt.Errorf("read the log level: %w", err)
	}
	out := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(kept(cfg)), Size: logBuffer, FlushInterval: logDelay}
	return zap.New(&prompt{zapcore.NewCore(logForm(cfg.String(config.LogFormat)), out, level)}), nil
}

// kept is the standard error; where no journal reads it, the data folder keeps the lines for panelctl logs.
func kept(cfg *config.Config) io.Writer {
	var out io.Writer = struct{ io.Writer }{os.Stderr}
	if logs.InJournal(config.Foreign("JOURNAL_STREAM")) {
		return out
	}
	return logs.Keep(out, logs.Folder(cfg.DataDir()))
}

func logForm(name string) zapcore.Encoder {
	form := zap.NewProductionEncoderConfig()
	form.TimeKey, form.EncodeTime, form.NameKey = "time", zapcore.RFC3339NanoTimeEncoder, "component"
	if name == "console" {
		return zapcore.NewConsoleEncoder(form)
	}
	return zapcore.NewJSONEncoder(form)
}

// prompt writes out what an operator wants to see at once.
type prompt struct{ zapcore.Core }

func (p *prompt) With(fields []zapcore.Field) zapcore.Core { return &prompt{p.Core.With(fields)} }

func (p *prompt) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if p.Enabled(entry.Level) {
		return checked.AddCore(entry, p)
	}
	return checked
}

func (p *prompt) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	err := p.Core.Write(entry, fields)
	if entry.Level >= zapcore.WarnLevel {
		err = errors.Join(err, p.Sync())
	}
	return err
}
