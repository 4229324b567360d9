package part

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/documents"
	"panel/platform/agentapi"
)

func nothing(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }

func giving(live *Live) func(*Env) (*Live, error) {
	return func(*Env) (*Live, error) { return live, nil }
}

func TestAPartDoesWhatItsManifestNames(t *testing.T) {
	t.Parallel()
	apply := func(context.Context, json.RawMessage) error { return nil }
	blocks := []documents.Document{{Name: agentapi.DocumentBlocks, Apply: apply}}
	probes := map[agentapi.CommandKind]Handler{agentapi.Probe: Handle(nothing)}
	named := Part{
		Name: "x", Documents: []agentapi.DocumentName{agentapi.DocumentBlocks},
		Commands: []agentapi.CommandKind{agentapi.Probe},
	}

	named.Open = giving(&Live{Documents: blocks, Commands: probes})
	_, err := Open(named, &Env{})
	require.NoError(t, err)
	for _, live := range []*Live{{}, {Documents: blocks}, {Commands: probes}} {
		named.Open = giving(live)
		_, err := Open(named, &Env{})
		require.ErrorContains(t, err, "manifest")
	}
	_, err = Open(Part{Name: "x", Open: giving(&Live{Commands: probes})}, &Env{})
	require.ErrorContains(t, err, "manifest", "a command that the panel is not told of")
	shell := map[agentapi.CommandKind]Handler{"run_shell": Handle(nothing)}
	_, err = Open(Part{Name: "x", Commands: []agentapi.CommandKind{"run_shell"}, Open: giving(&Live{Commands: shell})},
		&Env{})
	require.ErrorContains(t, err, "closed list")
}

func TestCapabilitiesNameDocumentsCommandsAndBatches(t *testing.T) {
	t.Parallel()
	all := Capabilities([]Part{
		{Commands: []agentapi.CommandKind{agentapi.Probe}, Documents: []agentapi.DocumentName{agentapi.DocumentBlocks}},
		{Batches: []agentapi.BatchKind{"seen"}, Capabilities: []agentapi.Capability{"flies", agentapi.CanProbe}},
	})
	require.Equal(t, []agentapi.Capability{"batch_seen", "document_blocks", "flies", "probe", "stream"}, all)
}

func TestArgumentsOfAnotherFormAreRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	handler := Handle(func(_ context.Context, args agentapi.CollectLogsArgs) (int, error) { return args.Lines, nil })
	bad := handler(t.Context(), agentapi.Command{
		Kind: agentapi.CollectLogs,
		Args: json.RawMessage(`{"lines":"hunter2"}`),
	})
	require.Equal(t, agentapi.CodeBadArgs, bad.Code)
	require.NotContains(t, bad.Error, "hunter2")
	good := handler(t.Context(), agentapi.Command{Kind: agentapi.CollectLogs, Args: json.RawMessage(`{"lines":3}`)})
	require.True(t, good.OK)
	require.Equal(t, "3", string(good.Data))
}

func TestAnErrorSaysHowTheCommandEnded(t *testing.T) {
	t.Parallel()
	for want, err := range map[agentapi.ResultCode]error{
		agentapi.CodePortInUse: Coded(agentapi.CodePortInUse, errors.New("taken")),
		agentapi.CodeExpired:   context.DeadlineExceeded,
		agentapi.CodeFailed:    errors.New("other"),
	} {
		fails := Handle(func(context.Context, struct{}) (map[string]int, error) {
			return map[string]int{"seen": 1},
				err
		})
		got := fails(t.Context(), agentapi.Command{})
		require.Equal(t, want, got.Code)
		require.False(t, got.OK)
		require.Equal(t, err.Error(), got.Error)
		require.JSONEq(t, `{"seen":1}`, string(got.Data), "evidence comes along also when it failed")
	}
}

func TestAKindOfBatchesBelongsToOnePart(t *testing.T) {
	t.Parallel()
	env := &Env{DataDir: t.TempDir(), Log: zap.NewNop()}
	stream, err := env.Batches("seen")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	_, err = env.Batches("seen")
	require.Error(t, err)
	require.Len(t, env.Streams(), 1)
}
