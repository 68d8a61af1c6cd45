package litz

import "sync/atomic"

// lifetime counts the users of what C owns: whoever holds it open, and calls in progress. The last one frees it, so that Close
// takes nothing away from a call on another goroutine.
type lifetime struct {
	users  int32
	closed int32
}

// begun is the lifetime of something that was just made.
func begun() lifetime { return lifetime{users: 1} }

// acquire begins a call, unless Close came before it.
func (l *lifetime) acquire() bool {
	for {
		users := atomic.LoadInt32(&l.users)
		if users == 0 || atomic.LoadInt32(&l.closed) != 0 {
			return false
		}
		if atomic.CompareAndSwapInt32(&l.users, users, users+1) {
			return true
		}
	}
}

// release ends a call, and reports whether the caller is to free.
func (l *lifetime) release() bool { return atomic.AddInt32(&l.users, -1) == 0 }

// close ends the holder's own use, once, and reports whether the caller is to free.
func (l *lifetime) close() bool {
	return atomic.CompareAndSwapInt32(&l.closed, 0, 1) && l.release()
}
