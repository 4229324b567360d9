package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"panel/modules/assistant/internal/engine"
	"panel/modules/assistant/internal/model"
	"panel/platform/access"
	"panel/platform/database"
)

// finish keeps what came out. Where the model failed, the built-in answer takes its place; what was cancelled keeps
// what was said so far.
func (j *job) finish(ctx context.Context, failure error) (Question, error) {
	row := *j.row
	row.Tokens, row.State = j.tokens, answered
	j.answer.Paragraphs = append(j.answer.Paragraphs, paragraphs(j.text)...)
	switch {
	case errors.Is(failure, errCancelled), errors.Is(failure, context.Canceled):
		row.State, j.offers = cancelled, nil
	case failure == nil && len(j.answer.Paragraphs) == 0:
		failure = model.ErrUnreadable
		fallthrough
	case failure != nil:
		row.State, row.ErrorCode = failed, j.failure(failure)
		if err := j.builtIn(ctx); err != nil {
			return Question{}, err
		}
	default:
		j.link()
	}
	return j.questions.conclude(ctx, row, j.answer, j.offers)
}

// failure is the word for why a model gave no answer. What nobody expected goes to the log.
func (j *job) failure(err error) string {
	for _, known := range []struct {
		err  error
		code string
	}{
		{model.ErrKey, failKey},
		{model.ErrBusy, failBusy},
		{model.ErrSilent, failSilent},
		{model.ErrCut, failCut},
		{model.ErrUnreadable, failUnreadable},
		{model.ErrTooLong, failLong},
		{errBudget, failBudget},
		{errTurns, failTurns},
		{errOff, failOff},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	j.log.Warn("the language model gave no answer", zap.Error(err))
	return failReach
}

// builtIn answers by the rules of the panel instead, with the caller's rights of this moment.
func (j *job) builtIn(ctx context.Context) error {
	caller, err := j.caller(ctx)
	if err != nil {
		j.offers = nil
		return nil //nolint:nilerr // they may not ask any more; the question only ends
	}
	read, refused := j.answer.Read, j.answer.Refused
	j.answer, j.offers, err = engine.Respond(access.With(ctx, caller), j.questions.panel, j.ask())
	if err != nil {
		return fmt.Errorf("answer a question: %w", err)
	}
	j.answer.Read, j.answer.Refused = append(read, j.answer.Read...), refused
	return nil
}

// link puts the pages that the tools named below the answer.
func (j *job) link() {
	last := &j.answer.Paragraphs[len(j.answer.Paragraphs)-1]
	last.Links = append(last.Links, j.links...)
}

// conclude stores how a model's answer ended, unless its question was deleted meanwhile.
func (q *questions) conclude(
	ctx context.Context, row questionRow, answer engine.Answer, offers []engine.Proposal,
) (Question, error) {
	at := q.now()
	row.FinishedAt = &at
	var err error
	if row.Answer, err = json.Marshal(answer); err != nil {
		return Question{}, fmt.Errorf("encode an answer: %w", err)
	}
	err = q.db.InTx(ctx, func(ctx context.Context) error {
		result, err := q.db.In(ctx).NewUpdate().Model(&row).
			Column("state", "finished_at", "error_code", "tokens", "answer").WherePK().Where("q.state = ?", running).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("keep an answer: %w", err), nil)
		}
		if n, err := result.RowsAffected(); n == 0 {
			return err
		}
		return q.proposals.add(ctx, row.ID, row.AccountID, offers)
	})
	if err != nil {
		return Question{}, err
	}
	q.meter.model(row.ErrorCode, row.Tokens)
	return q.get(ctx, row.ID)
}

// failureWords say why a model gave no answer.
var failureWords = map[string]map[string]string{
	failKey: {
		"en": "The model refuses the key. Enter another one in the settings.",
		"ru": "Модель не принимает ключ. Введите другой в настройках.",
	},
	failBusy:   {"en": "The model is asked too often. Try again later.", "ru": "Модель спрашивают слишком часто. Повторите позже."},
	failSilent: {"en": "The model has fallen silent.", "ru": "Модель замолчала."},
	failCut:    {"en": "The answer of the model broke off.", "ru": "Ответ модели оборвался."},
	failUnreadable: {
		"en": "The answer of the model cannot be read.", "ru": "Ответ модели нельзя прочитать.",
	},
	failLong:  {"en": "The answer of the model is too long.", "ru": "Ответ модели слишком длинный."},
	failReach: {"en": "The model cannot be reached.", "ru": "Модель недоступна."},
	failBudget: {
		"en": "The cap of the day is reached. The model is asked again tomorrow (UTC).",
		"ru": "Дневной предел исчерпан. Завтра (UTC) модель снова будет отвечать.",
	},
	failTurns: {"en": "The model found no answer.", "ru": "Модель не нашла ответа."},
	failOff:   {"en": "The model was switched off.", "ru": "Модель отключена."},
	failInterrupted: {
		"en": "The panel stopped while the model answered.", "ru": "Панель остановилась, пока модель отвечала.",
	},
}

// failureOf is a failure as it is shown.
func failureOf(code, language string) *Failure {
	if code == "" {
		return nil
	}
	return &Failure{Code: code, Text: failureWords[code][language]}
}
