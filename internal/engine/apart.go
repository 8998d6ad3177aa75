package engine

import "runtime"

// apart calls f in a goroutine of its own. An exchange needs a stack of 16 KiB, which a goroutine
// keeps until collections of garbage have found several times that it is mostly unused. In a crowd,
// only the few goroutines that make exchanges have such stacks, and those of their callers stay small.
//
// If f panics or calls runtime.Goexit, the goroutine of the caller does the same. Before that, log gets
// the value of the panic, in the goroutine whose stack shows its origin.
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
