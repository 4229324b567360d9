package assistant

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/settings"
)

// What Doctor finds worth a word.
const (
	failuresInRow = 3
	heldLong      = time.Hour
)

// diagnosis is what the database says of the language model and of the helper session.
type diagnosis struct {
	Enabled  bool
	Last     string // why the last answer of the model was none; empty: it was one
	Failures int    // answers in a row that were none, of those after the last change of the settings
	Holder   string // of the helper session
	HeldFor  float64
}

// check is what Doctor asks about the language model, also while the panel is down. Its name is that of the model,
// because documents for operators name every check.
func check() doctor.Check {
	return doctor.Check{ID: "components.language_model", Group: "components", Title: "language model", Run: diagnose}
}

// diagnose judges by how the last answers went. It asks the model nothing: that would cost.
func diagnose(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	found, err := read(ctx, db, env.Now())
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	return found.finding()
}

func read(ctx context.Context, db *database.DB, at time.Time) (d diagnosis, err error) {
	var now Settings
	changed, err := settings.Stored(ctx, db, document, &now)
	if err != nil {
		return d, err
	}
	d.Enabled = now.Enabled
	var codes []string
	err = db.NewRaw(`select error_code from assistant_questions where engine = ? and state in (?) and finished_at > ?
			and (error_code <> ? or finished_at >= ?) order by finished_at desc limit 20`, byModel,
		bun.List([]string{answered, failed}), changed, failBudget, at.UTC().Truncate(24*time.Hour)).Scan(ctx, &codes)
	if err != nil {
		return d, err
	}
	for d.Failures < len(codes) && codes[d.Failures] != "" {
		d.Failures++
	}
	if len(codes) > 0 {
		d.Last = codes[0]
	}
	err = db.NewRaw(`select account_name, extract(epoch from ?0::timestamptz - since)::float8 from assistant_helper
		where idle_at > ?0`, at.UTC()).Scan(ctx, &d.Holder, &d.HeldFor)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return d, err
}

// finding tells first what only an administrator can mend.
func (d *diagnosis) finding() doctor.Finding {
	held := time.Duration(d.HeldFor) * time.Second
	out := doctor.Finding{Status: doctor.Warning, Data: map[string]any{
		"connected": d.Enabled, "last_error": d.Last, "failures": d.Failures, "held_by": d.Holder, "held_s": int(d.HeldFor),
	}}
	look := doctor.Say("look at the settings of the language model on the page Settings of the panel")
	switch {
	case d.Enabled && d.Last == failKey:
		out.Found, out.Do = doctor.Say("the language model refuses the key"), look
	case d.Enabled && d.Last == failBudget:
		out.Found, out.Do = doctor.Say("the cap of the day for the language model is reached"), look
	case d.Enabled && d.Failures >= failuresInRow:
		out.Found, out.Do = doctor.Say("the language model gave no answer %d times in a row: %s", d.Failures, d.Last), look
	case held >= heldLong:
		out.Found = doctor.Say("%s has held the one session that sets up notifications for %d minutes", d.Holder,
			int(held.Minutes()))
		out.Do = doctor.Say("ask whether it is still needed; somebody else can end it where notifications are set up")
	case !d.Enabled:
		out.Status, out.Found = doctor.OK, doctor.Say("no language model is connected")
	default:
		out.Status, out.Found = doctor.OK, doctor.Say("the language model is connected")
	}
	return out
}
