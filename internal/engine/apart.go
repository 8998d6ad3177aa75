package engine

import "runtime"

// apart calls f in a separate goroutine and waits for it. An HTTP exchange needs a stack of 16 KiB.
// Even with thousands of callers, only the few goroutines that make an exchange have such a stack.
//
// If f panics or calls runtime.Goexit, apart does the same in the caller's goroutine. Before apart
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
