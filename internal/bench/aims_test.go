package bench

// An aim is the goal for one line of the table of operations in this module's README.md.
type aim struct {
	text string
	met  func(line) bool
}

// aims holds the aim of each line, by the line's key.
var aims = map[string]aim{
	"poll/" + string(async):    halfTheTime,
	"poll/" + string(location): halfTheTime,
	"poll/" + string(state):    halfTheTime,
	"client":                   {"≤ 30 allocs", func(l line) bool { return l.metrics[1].of[lro] <= 30 }},
	"retrying": {"below azcore in both", func(l line) bool {
		return l.toAzcore(0) < 1 && l.toAzcore(1) < 1
	}},
	"default": {"≤ 0.75 × azcore's CPU, ≤ 38 allocs", func(l line) bool {
		return l.toAzcore(0) <= 0.75 && l.metrics[1].of[lro] <= 38
	}},
	"default/location": {"≤ 0.75 × azcore's CPU", func(l line) bool { return l.toAzcore(0) <= 0.75 }},
	"default/state":    {"≤ 0.6 × azcore's CPU", func(l line) bool { return l.toAzcore(0) <= 0.6 }},
	"default/begin":    {"≤ 1.0 × azcore's CPU", func(l line) bool { return l.toAzcore(0) <= 1 }},
	"default/resume":   {"≤ 1.0 × azcore's CPU", func(l line) bool { return l.toAzcore(0) <= 1 }},
	"loopback":         {"≤ 0.9 × azcore's CPU", func(l line) bool { return l.toAzcore(0) <= 0.9 }},
	"listing": {"≤ 1.0 × azcore's CPU, ≤ 1,540 allocs", func(l line) bool {
		return l.toAzcore(0) <= 1 && l.metrics[1].of[lro] <= 1540
	}},
	"begin":  halfTheTime,
	"resume": halfTheTime,
	"waiting": {"≤ 2.0 kB, no goroutine", func(l line) bool {
		return l.metrics[0].of[lro] <= 2000 && l.metrics[1].of[lro] < 0.1
	}},
	"token": {"≤ 700 bytes", func(l line) bool { return l.metrics[0].of[lro] <= maxToken }},
	"result": {"≤ 3.0, left ≤ 1.2", func(l line) bool {
		return l.metrics[0].of[lro] <= 3 && l.metrics[2].of[lro] <= 1.2
	}},
	"fleet": {"≤ 0.4 × azcore's CPU, ≤ 60 MiB, ≤ 128 connections", func(l line) bool {
		return l.toAzcore(0) <= 0.4 && l.metrics[1].of[lro] <= 60<<20 && l.metrics[2].of[lro] <= 128
	}},
	"fleet, peers tuned": {"less than azcore in all three", func(l line) bool {
		return l.toAzcore(0) < 1 && l.toAzcore(1) < 1 && l.toAzcore(2) < 1
	}},
	"burst": {"≤ 200 MB, ≤ 1,024 connections", func(l line) bool {
		return l.metrics[1].of[lro] <= 200e6 && l.metrics[2].of[lro] <= 1024
	}},
	"blocking": {"≤ 80 MiB, ≤ 16 connections", func(l line) bool {
		return l.metrics[1].of[lro] <= 80<<20 && l.metrics[2].of[lro] <= 16
	}},
	"beginMany": {"≤ 250 MiB", func(l line) bool { return l.metrics[1].of[lro] <= 250<<20 }},
	"init":      {"≤ 20 kB", func(l line) bool { return l.metrics[0].of[lro] <= maxInit }},
	"simulated": {"≤ 1.5 × the cost at 1,000", func(l line) bool {
		return l.metrics[0].of[lro] <= 1.5*l.metrics[1].of[lro]
	}},
}

var halfTheTime = aim{"≤ 0.5 × azcore's time", func(l line) bool { return l.toAzcore(0) <= 0.5 }}
