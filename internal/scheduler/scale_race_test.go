//go:build race

package scheduler

// many and manyThrottled are the numbers of jobs in the largest tests. They are smaller with the
// race detector, which makes each step about ten times slower, and finds the same races with fewer
// jobs.
const many, manyThrottled = 5_000, 500
