// Package config reads the PANEL_ environment variables once, checks them and gives them out by key.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/viper"
)

const prefix = "PANEL_"

// Config holds the checked values of all declared keys. It never changes after Load.
type Config struct {
	keys   []Key
	values map[string]string
	given  map[string]bool
}

// Warning is a sentence about a setting that does not stop the start, for example a misspelt name.
type Warning string

// Load reads the platform's keys and the given ones from the environment.
// The error names every bad value with the form it must have and what it means; it never shows the value.
func Load(keys ...Key) (*Config, []Warning, error) {
	all, err := declared(keys)
	if err != nil {
		return nil, nil, err
	}
	reader := viper.New()
	for _, key := range all {
		if err := reader.BindEnv(key.Name, key.Name); err != nil {
			return nil, nil, fmt.Errorf("reading %s from the environment: %w", key.Name, err)
		}
	}
	read, err := build(all, reader)
	return read, unknown(all, os.Environ()), err
}

// Of builds a configuration from values instead of the environment, for tests and tools.
func Of(values map[string]string, keys ...Key) (*Config, error) {
	all, err := declared(keys)
	if err != nil {
		return nil, err
	}
	reader := viper.New()
	for name, value := range values {
		if value != "" {
			reader.Set(name, value)
		}
	}
	return build(all, reader)
}

func declared(extra []Key) ([]Key, error) {
	all := Platform()
	for _, key := range extra {
		if err := key.declarable(); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(k Key) bool { return k.Name == key.Name })
		switch {
		case at < 0:
			all = append(all, key)
		case all[at] != key:
			return nil, fmt.Errorf("the key %s is declared twice with different meanings", key.Name)
		}
	}
	return all, nil
}

func build(keys []Key, reader *viper.Viper) (*Config, error) {
	c := &Config{keys: keys, values: map[string]string{}, given: map[string]bool{}}
	var bad []error
	for _, key := range keys {
		value := strings.TrimSpace(reader.GetString(key.Name))
		c.given[key.Name] = value != ""
		c.values[key.Name] = value
		if value == "" {
			c.values[key.Name] = key.Default
		}
		bad = append(bad, key.Check(value))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return c, nil
}

func unknown(keys []Key, environ []string) []Warning {
	var warnings []Warning
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		known := slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name })
		if strings.HasPrefix(name, prefix) && !known {
			warnings = append(warnings, Warning(name+" is not a setting of the panel; is the name misspelt?"))
		}
	}
	slices.Sort(warnings)
	return warnings
}

// Given reports whether the operator set the key, as opposed to its default being used.
func (c *Config) Given(key Key) bool { return c.given[key.Name] }

// String gives the value of a key that is not secret; of a secret key it gives stars.
func (c *Config) String(key Key) string {
	if key.Secret {
		return c.Secret(key).String()
	}
	return c.values[key.Name]
}

// Secret gives the value of a secret key in a form that does not print.
func (c *Config) Secret(key Key) Secret { return Secret{value: c.values[key.Name]} }

// Int gives the value of a key whose form is a number; an empty one is 0.
func (c *Config) Int(key Key) int {
	n, err := strconv.Atoi(c.values[key.Name])
	if err != nil {
		return 0
	}
	return n
}

// Bool gives the value of a switch; an empty one is false.
func (c *Config) Bool(key Key) bool {
	on, err := strconv.ParseBool(c.values[key.Name])
	return err == nil && on
}

// Duration gives a number of units, for example Duration(SessionTTLHours, time.Hour).
func (c *Config) Duration(key Key, unit time.Duration) time.Duration {
	return time.Duration(c.Int(key)) * unit
}

// List gives the parts of a value that is separated by commas.
func (c *Config) List(key Key) []string {
	return parts(c.values[key.Name])
}

// Path gives a file or folder as an absolute path; an empty one stays empty.
func (c *Config) Path(key Key) string {
	path := c.values[key.Name]
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

const installedData = "/opt/panel/data"

// DataDir is the absolute folder that holds everything the panel keeps outside the database.
func (c *Config) DataDir() string {
	if c.Given(DataDir) {
		return c.Path(DataDir)
	}
	if info, err := os.Stat(installedData); err == nil && info.IsDir() {
		return installedData
	}
	whole, err := filepath.Abs("data")
	if err != nil {
		return "data"
	}
	return whole
}

// Value is one setting as it may be shown to people: secrets are stars.
type Value struct {
	Key   Key
	Shown string
	Given bool
}

// Values lists all settings in the order of their declaration.
func (c *Config) Values() []Value {
	list := make([]Value, 0, len(c.keys))
	for _, key := range c.keys {
		list = append(list, Value{Key: key, Shown: c.String(key), Given: c.Given(key)})
	}
	return list
}

// Names are the names of all variables in the environment of this process.
func Names() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

// Foreign reads a variable that belongs to the operating system or the terminal, such as LANG or HOME.
func Foreign(name string) string { return os.Getenv(name) }
