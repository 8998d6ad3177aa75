//go:build race

package scheduler

// The race detector makes each step about ten times slower, and finds the same races with fewer jobs.
const many, manyThrottled = 5_000, 500
