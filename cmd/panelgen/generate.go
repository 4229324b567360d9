package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/migrations"
	"panel/modules"
	"panel/platform/app"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/module"
)

// generate composes the whole panel over a fresh private database and writes down what it is made of.
func generate(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "panelgen")
	if err != nil {
		return fmt.Errorf("make a folder for the database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := os.Chmod(folder, 0o755); err != nil {
		return fmt.Errorf("open the folder of the database to its server: %w", err)
	}
	all := app.With(modules.All())
	db, closeDB, err := freshDatabase(ctx, folder, all)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDB()) }()
	return writeAll(ctx, db, all, folder)
}

func freshDatabase(ctx context.Context, folder string, all []module.Module) (*database.DB, func() error, error) {
	dsn, stop, err := database.StartPrivate(
		ctx,
		database.PrivateOptions{DataDir: folder, BinDir: config.Foreign(config.PGBin.Name), Log: zap.NewNop()},
	)
	if err != nil {
		return nil, nil, fmt.Errorf("start a database to migrate: %w", err)
	}
	end := func() error { return stop(context.WithoutCancel(ctx)) }
	db, err := database.Open(ctx, dsn, database.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	if err := migrations.Run(ctx, db.DB.DB, app.Migrations(all)); err != nil {
		return nil, nil, errors.Join(err, db.Close(), end())
	}
	return db, func() error { return errors.Join(db.Close(), end()) }, nil
}

func writeAll(ctx context.Context, db *database.DB, all []module.Module, folder string) error {
	panel, err := compose(ctx, db, all, folder)
	if err != nil {
		return err
	}
	description, err := described(panel.Server().Describe)
	if err != nil {
		return err
	}
	hidden, err := described(panel.Server().DescribeHidden)
	if err != nil {
		return err
	}
	texts, err := refusals(all)
	if err != nil {
		return err
	}
	schema, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	files := []file{
		{"ui/openapi.json", description},
		{"ui/hidden.json", hidden},
		{"modules/assistant/internal/refusals/texts.json", texts},
		{"ui/src/api/keys.gen.ts", keys(all)},
		{"migrations/schema.sql", schema},
		{"configs/panel.env.example", []byte(config.Example(settings(all)))},
		{"docs/reference/automatic.md", automaticPage(app.Acts(all), panel.Listeners(), panel.Schedules())},
	}
	for _, f := range append(files, reference(published(all))...) {
		if err := f.write(); err != nil {
			return err
		}
	}
	return writeBoard(panel.Metrics().Families())
}

func settings(all []module.Module) []config.Key { return append(config.Platform(), app.Keys(all)...) }

// compose makes a whole panel that runs nothing.
func compose(ctx context.Context, db *database.DB, all []module.Module, folder string) (*app.App, error) {
	cfg, err := config.Of(map[string]string{config.DataDir.Name: folder}, app.Keys(all)...)
	if err != nil {
		return nil, fmt.Errorf("read the default settings: %w", err)
	}
	secrets, err := app.OpenVault(ctx, cfg, db)
	if err != nil {
		return nil, err
	}
	return app.New(
		app.Options{
			Modules: all, Config: cfg, Log: zap.NewNop(), Clock: clockwork.NewRealClock(), DB: db,
			Vault: secrets,
		},
	)
}

func described(describe func() ([]byte, error)) ([]byte, error) {
	description, err := describe()
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return indented(description)
}
