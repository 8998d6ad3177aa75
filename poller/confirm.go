package poller

import (
	"encoding/json"
	"net/http"

	"github.com/lro-go/lro/internal/wire"
)

// putOff takes back the success that an answer has told, until Options.Confirm says
// so too. Where the result is stays known.
func (c *core) putOff(s *state) {
	s.Status.State = InProgress
	s.row(InProgress, 1)
	s.hold(c.Confirm.After, false)
}

// confirmed judges an answer to Options.Confirm.
func (c *core) confirmed(s *state, ans wire.Answer) verdict {
	said, err := c.Confirm.read(c.answer(s, ans, false))
	if err != nil {
		return c.failed(s, ans.Header, wire.Refusal(http.MethodGet, ans, toldNothing(ans.Code, err)), true)
	}
	enough := s.row(said.State, c.Confirm.Times)
	if enough && said.State != Succeeded {
		c.adopt(s, ans, s.ending(said))
		return verdict{}
	}
	s.Failing = nil
	if enough {
		asked := c.pollURL(s)
		s.Status.State = Succeeded
		s.readAlready(asked, ans)
	}
	c.schedule(s, ans.Header, 0)
	return verdict{}
}

// ending is the move to an end that a check has told.
func (s *state) ending(said Status) Move {
	return Move{Status: said, Cancel: s.Cancel, Memo: s.memo.json(), memo: s.memo}
}

// readAlready spares the read of the result where a check has just asked for the
// very document. It stays out of tokens, which hold the URL as ever.
func (s *state) readAlready(asked string, ans wire.Answer) {
	end := *s.End
	switch {
	case ans.Code == http.StatusAccepted || ans.Code > 299 || wire.IsEmpty(ans.Body) || !json.Valid(ans.Body):
		return // it is no result, whatever the caller's function makes of a 404
	case end.URL != "" && end.URL == asked:
		end.Read = ans.Body
	case end.URL == "" && len(end.Body) > 0 && end.From == asked:
		end.Body = ans.Body
	default:
		return
	}
	s.End = &end
}
