//go:build race

package scheduler

// many and manyThrottled are the job counts of the largest tests. They are small here, because the
// race detector is slow.
const many, manyThrottled = 5_000, 500
