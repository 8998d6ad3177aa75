//go:build race

package scheduler

// The race detector makes each step about ten times slower, and finds just as many races with fewer
// jobs.
const many, manyThrottled = 5_000, 500
