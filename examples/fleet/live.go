package main

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// show shows what m measures until ended is closed: on a terminal a view that is
// drawn anew, elsewhere a line a second. stop is called for whoever asks for the
// end at the keyboard.
func show(w io.Writer, m *meter, ended <-chan struct{}, stop func()) error {
	f, ok := w.(term.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return plain(w, m, ended)
	}
	l := live{meter: m, ended: ended, stop: stop, stats: m.sample(), width: leastWidth}
	_, err := tea.NewProgram(l, tea.WithOutput(w), tea.WithoutSignalHandler()).Run()
	return err
}

// frame is the time between two drawings.
const frame = 200 * time.Millisecond

// A live view is a program of Bubble Tea: messages come in, text goes out. The
// library draws only the lines that have changed, follows the width of the
// terminal, and leaves it as it was, also after Ctrl-C and a panic.
type live struct {
	meter *meter
	ended <-chan struct{}
	stop  func()

	stats stats
	width int
}

type tick time.Time

func nextTick() tea.Cmd {
	return tea.Tick(frame, func(t time.Time) tea.Msg { return tick(t) })
}

func (l live) Init() tea.Cmd { return nextTick() }

func (l live) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.width = msg.Width
	case tea.KeyPressMsg:
		if key := msg.String(); key == "ctrl+c" || key == "q" {
			l.stop() // the fleet ends, and then we do
		}
	case tick:
		over := isClosed(l.ended) // asked first, so that the last view has all
		l.stats = l.meter.sample()
		if over {
			return l, tea.Quit
		}
		return l, nextTick()
	}
	return l, nil
}

func (l live) View() tea.View { return tea.NewView(render(l.stats, l.width)) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
