//go:build linux && (amd64 || arm64)

// Package abi is the C ABI of liblitz.so, function by function, without cgo: purego opens the library and calls it.
//
// The package litz is built on it. Use it for what that package lacks, such as graphs by hand. Constants, types and functions
// are generated from abi/litz.json, and keep the rules of litz.h: who owns what, which threads may call, what may be NULL.
// A pointer to Go memory is alive during a call. What C keeps for longer, the caller keeps alive.
package abi

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

var addresses [len(names)]uintptr

// Open opens the library at path, or the one that the system's loader finds by that name, and looks up its functions. Call it
// once, before any function of this package.
func Open(path string) error {
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return err
	}
	for k, name := range names {
		address, err := purego.Dlsym(library, name)
		if err != nil {
			return fmt.Errorf("%s has no %s: %w", path, name, err)
		}
		addresses[k] = address
	}
	return nil
}

// CString copies text to memory that ends in a NUL, as functions take it. Text with a NUL inside ends there.
func CString(text string) *byte {
	bytes := make([]byte, len(text)+1)
	copy(bytes, text)
	return &bytes[0]
}

// GoString copies text that ends in a NUL. It is "" for NULL.
func GoString(text *byte) string {
	if text == nil {
		return ""
	}
	size := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), size)) != 0 {
		size++
	}
	return string(unsafe.Slice(text, size))
}

// pointer is an address of C's as a pointer.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
