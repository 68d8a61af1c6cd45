package litz

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"litz/abi"
)

// listener is the context of callbacks. C knows its address alone, so listeners keeps it alive, and a message for one that is
// not there any more is dropped.
type listener struct {
	users int32
	log   func(Level, string)
	trace func(string)
}

var listeners sync.Map

func listen(log func(Level, string), trace func(string)) *listener {
	made := &listener{users: 1, log: log, trace: trace}
	listeners.Store(uintptr(unsafe.Pointer(made)), made)
	return made
}

func (l *listener) retain() *listener {
	if l != nil {
		atomic.AddInt32(&l.users, 1)
	}
	return l
}

func (l *listener) release() {
	if l != nil && atomic.AddInt32(&l.users, -1) == 0 {
		listeners.Delete(uintptr(unsafe.Pointer(l)))
	}
}

func heardBy(context uintptr, f func(*listener)) {
	found, ok := listeners.Load(context)
	if !ok {
		return
	}
	defer func() {
		// A panic must not unwind C's frames: it ends the process, as one that nobody recovers.
		if raised := recover(); raised != nil {
			go panic(raised)
			select {}
		}
	}()
	f(found.(*listener))
}

// The functions that C calls. There are two for the process, because purego never frees one.
var (
	callbacks    sync.Once
	logAddress   uintptr
	traceAddress uintptr
)

func makeCallbacks() {
	logAddress = purego.NewCallback(func(context uintptr, level int32, message *byte) uintptr {
		heardBy(context, func(l *listener) { l.log(Level(level), abi.GoString(message)) })
		return 0
	})
	traceAddress = purego.NewCallback(func(context uintptr, line *byte) uintptr {
		heardBy(context, func(l *listener) { l.trace(abi.GoString(line)) })
		return 0
	})
}

func logCallback() uintptr {
	callbacks.Do(makeCallbacks)
	return logAddress
}

func traceCallback() uintptr {
	callbacks.Do(makeCallbacks)
	return traceAddress
}
