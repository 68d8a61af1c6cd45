package litz

import (
	"context"
	"time"
)

// The first and the longest pause between two attempts to cancel.
const (
	firstPause   = 50 * time.Microsecond
	longestPause = 50 * time.Millisecond
)

// watched makes a call that cancel ends once ctx is done. A cancellation ends what is in progress and nothing later, so
// cancel is called again until the call has returned: the first time it may not have begun.
func watched(ctx context.Context, cancel func(), f func() error) error {
	if err := ctx.Err(); err != nil {
		return cancelled("the call was not begun", err)
	}
	done := ctx.Done()
	if done == nil {
		return f()
	}
	finished, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-finished:
			return
		case <-done:
		}
		timer := time.NewTimer(firstPause)
		defer timer.Stop()
		for pause := firstPause; ; timer.Reset(pause) {
			cancel()
			select {
			case <-finished:
				return
			case <-timer.C:
			}
			if pause *= 2; pause > longestPause {
				pause = longestPause
			}
		}
	}()
	err := f()
	close(finished)
	<-stopped
	if isCancelled(err) && ctx.Err() != nil {
		return cancelled(err.Error(), ctx.Err())
	}
	return err
}

func isCancelled(err error) bool {
	failed, ok := err.(*Error)
	return ok && failed.Code == ErrCancelled
}

func cancelled(message string, cause error) error {
	made := failure(ErrCancelled, "%s: %v", message, cause)
	made.cause = cause
	return made
}
