package litz

import (
	"os"
	"sync"

	"litz/abi"
)

var (
	opening sync.Once
	opened  error
)

// library opens the library, once.
func library() error {
	opening.Do(func() {
		path := os.Getenv("LITZ_LIBRARY")
		if path == "" {
			path = "liblitz.so.0"
		}
		if err := abi.Open(path); err != nil {
			opened = failure(ErrIO, "Litz's library cannot be opened; name its file in LITZ_LIBRARY: %v", err)
			return
		}
		opened = call(func(err **abi.Error) abi.Status { return abi.CheckABI(abi.HeaderVersion, err) })
	})
	return opened
}

// Version is the library's version, such as "0.1.0".
func Version() (string, error) {
	if err := library(); err != nil {
		return "", err
	}
	return abi.GoString(abi.Version()), nil
}
