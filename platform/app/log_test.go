package app

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func TestWarningsAreWrittenAtOnceWithAllBeforeThem(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	out := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(&written), FlushInterval: time.Hour}
	log := zap.New(&prompt{zapcore.NewCore(logForm("json"), out, zapcore.InfoLevel)})
	log.Info("first", zap.String("component", "x"))
	log.Debug("never")
	require.Empty(t, written.String())
	log.With(zap.Int("n", 1)).Warn("second")
	require.Regexp(t, `(?s)"msg":"first".*"level":"warn".*"msg":"second","n":1`, written.String())
	require.NotContains(t, written.String(), "never")
	log.Info("third")
	require.NoError(t, log.Sync())
	require.Contains(t, written.String(), "third")
	require.NoError(t, out.Stop())
}
