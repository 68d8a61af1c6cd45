package litz

import (
	"encoding/json"
	"fmt"
	"strings"

	"litz/abi"
)

// Code says what kind of failure an [Error] is: a LITZ_ERROR_… of litz.h. A Code is an error itself, so that
// errors.Is(err, litz.ErrShape) asks for it.
type Code int32

// The kinds of failures.
const (
	ErrInvalidArgument = Code(abi.ErrorInvalidArgument) // an argument that cannot be
	ErrUnsupported     = Code(abi.ErrorUnsupported)     // refused as not supported
	ErrShape           = Code(abi.ErrorShape)           // sizes that do not fit
	ErrDType           = Code(abi.ErrorDtype)           // an element type that does not fit
	ErrDevice          = Code(abi.ErrorDevice)          // a device that is not there
	ErrParse           = Code(abi.ErrorParse)           // a malformed file
	ErrIO              = Code(abi.ErrorIO)              // the system refused to read or write
	ErrToolchain       = Code(abi.ErrorToolchain)       // a C++ compiler is missing or failed
	ErrCUDA            = Code(abi.ErrorCUDA)            // a CUDA driver or library is missing or failed
	ErrOutOfMemory     = Code(abi.ErrorOutOfMemory)     // memory was refused
	ErrABI             = Code(abi.ErrorABI)             // a library or artifact of another version
	ErrState           = Code(abi.ErrorState)           // not possible now, such as a run after Close
	ErrCapacity        = Code(abi.ErrorCapacity)        // an array was too small
	ErrCancelled       = Code(abi.ErrorCancelled)       // cancelled, by a context or by Cancel
	ErrAssertion       = Code(abi.ErrorAssertion)       // the graph's own assertion failed
	ErrInternal        = Code(abi.ErrorInternal)        // a mistake inside Litz
)

func (c Code) Error() string { return fmt.Sprintf("litz: status %d", int32(c)) }

// Error is a failed call.
type Error struct {
	Code Code
	// Message says what is wrong, where, and what to do about it.
	Message string
	// Detail is the same for programs: a JSON object with code, message and further facts.
	Detail json.RawMessage

	cause error
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is the error's Code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Unwrap is the context's error, where a context ended the call.
func (e *Error) Unwrap() error { return e.cause }

func failure(code Code, format string, values ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...), Detail: json.RawMessage("{}")}
}

// call makes a call that takes litz_error ** last.
func call(f func(err **abi.Error) abi.Status) error {
	var raised *abi.Error
	status := f(&raised)
	if status == abi.OK {
		return nil
	}
	made := &Error{
		Code:    Code(status),
		Message: abi.GoString(abi.ErrorMessage(raised)),
		Detail:  json.RawMessage(abi.GoString(abi.ErrorDetail(raised))),
	}
	abi.ErrorRelease(raised)
	return made
}

// text makes a call that gives a string.
func text(f func(out **abi.String, err **abi.Error) abi.Status) (string, error) {
	var made *abi.String
	if err := call(func(err **abi.Error) abi.Status { return f(&made, err) }); err != nil {
		return "", err
	}
	data := abi.GoString(abi.StringData(made))
	abi.StringRelease(made)
	return data, nil
}

// object makes a call that gives a string of JSON.
func object(f func(out **abi.String, err **abi.Error) abi.Status) (json.RawMessage, error) {
	made, err := text(f)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(made), nil
}

// cString is text as C takes it.
func cString(what, text string) (*byte, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, failure(ErrInvalidArgument, "%s holds a NUL: %q", what, text)
	}
	return abi.CString(text), nil
}
