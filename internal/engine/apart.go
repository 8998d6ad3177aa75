package engine

import "runtime"

// apart calls f in a separate goroutine and waits for it. An HTTP exchange grows the stack of its
// goroutine to 16 KiB, and the garbage collector shrinks that stack only after several cycles. If
// thousands of callers wait for their exchanges, apart keeps the stacks of their goroutines small:
// only the few goroutines that make an exchange have large ones.
//
// If f panics or calls runtime.Goexit, apart does the same in the caller's goroutine. If f panics, apart
// first passes the value of the panic to log. It calls log in the goroutine of f, whose stack shows the
// origin of the panic.
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
