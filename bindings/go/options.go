package litz

import (
	"fmt"
	"sort"
	"unsafe"

	"litz/abi"
)

// Option says how a graph is loaded, compiled or opened. docs/options.md lists the keys.
type Option func(*config)

// With sets an option by its key. The value is written as fmt.Sprint does.
func With(key string, value any) Option {
	return func(c *config) { c.set = append(c.set, setting{key, fmt.Sprint(value)}) }
}

// WithAll sets options by their keys.
func WithAll(values map[string]any) Option {
	return func(c *config) {
		keys := make([]string, 0, len(values))
		for key := range values {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			With(key, values[key])(c)
		}
	}
}

// Level is how much of the log a function gets.
type Level int32

// The levels of the log; each has those before it.
const (
	LevelError Level = iota
	LevelWarning
	LevelInfo
	LevelDebug
)

// WithLog sends messages up to level to f, as long as the graph or the program with this option is open. f is called by any
// thread, also by several at once.
func WithLog(level Level, f func(level Level, message string)) Option {
	return func(c *config) { c.level, c.log = level, f }
}

// WithTrace sends every event to f, as a line of JSON. f is called as that of [WithLog] is; docs/trace.md lists the events.
func WithTrace(f func(line string)) Option {
	return func(c *config) { c.trace = f }
}

type setting struct{ key, value string }

type config struct {
	set   []setting
	level Level
	log   func(Level, string)
	trace func(string)
}

// settings are options as C takes them, and who hears what they make; nil where nobody does.
type settings struct {
	handle *abi.Options
	heard  *listener
}

func (s settings) release() {
	abi.OptionsRelease(s.handle)
	s.heard.release()
}

// options opens the library where that was not done, and makes settings, which the caller releases.
func options(given []Option) (settings, error) {
	if err := library(); err != nil {
		return settings{}, err
	}
	var c config
	for _, option := range given {
		option(&c)
	}
	var made settings
	err := call(func(err **abi.Error) abi.Status { return abi.OptionsNew(&made.handle, err) })
	if err != nil {
		return settings{}, err
	}
	if err := made.fill(&c); err != nil {
		made.release()
		return settings{}, err
	}
	return made, nil
}

func (s *settings) fill(c *config) error {
	for _, one := range c.set {
		key, err := cString("an option's key", one.key)
		if err != nil {
			return err
		}
		value, err := cString("the option "+one.key, one.value)
		if err != nil {
			return err
		}
		if err := call(func(err **abi.Error) abi.Status { return abi.OptionsSet(s.handle, key, value, err) }); err != nil {
			return err
		}
	}
	if c.log == nil && c.trace == nil {
		return nil
	}
	s.heard = listen(c.log, c.trace)
	context := unsafe.Pointer(s.heard)
	if c.log != nil {
		set := func(err **abi.Error) abi.Status {
			return abi.OptionsSetLog(s.handle, int32(c.level), logCallback(), context, err)
		}
		if err := call(set); err != nil {
			return err
		}
	}
	if c.trace != nil {
		return call(func(err **abi.Error) abi.Status {
			return abi.OptionsSetTrace(s.handle, traceCallback(), context, err)
		})
	}
	return nil
}
