//go:build race

package scheduler

// many and manyThrottled are the numbers of jobs in the largest tests. Both are small here, because
// the race detector is slow.
const many, manyThrottled = 5_000, 500
