package engine

import "runtime"

// apart runs f in a separate goroutine and waits, so that the stacks of thousands of callers stay
// smaller than the 16 KiB that an HTTP exchange needs.
//
// If f panics or calls runtime.Goexit, apart does the same in the caller's goroutine. Before it
// repeats a panic, it calls log in the goroutine of f, whose stack shows where the panic occurred.
func apart(log func(v any), f func()) {
	fault := runtime.Goexit
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			v := recover()
			if v != nil {
				log(v)
				fault = func() { panic(v) }
			}
		}()
		f()
		fault = nil
	}()
	<-done
	if fault != nil {
		fault()
	}
}
