package fakes_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
)

const (
	hcpScope   = "/subscriptions/6b69/providers/Microsoft.RedHatOpenShift"
	hcpCluster = "/subscriptions/6b69/resourceGroups/rg1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c3"
	hcpQuery   = "?api-version=2024-06-10-preview"
)

const inbox = "https://inbox.test/done?token=t"

// A receiver records the notifications that it receives.
type receiver struct {
	mu   sync.Mutex
	got  []string // one line per notification: the request, the time since the start, and the body
	from time.Time
}

func (i *receiver) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, r.Method+" https://"+r.Host+r.URL.String()+" "+r.Header.Get("Content-Type")+" "+time.Since(i.from).String()+" "+string(body))
}

// The service sends exactly one notification when an operation ends, no matter why it ends.
func TestNotifications(t *testing.T) {
	const (
		hour  = `"startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T01:00:00Z"`
		posts = "POST " + inbox + " application/json 1h0m0s "
	)
	doc := func(status, rest string) string {
		return `{"id":"` + hcpScope + "/locations/eastus/hcpOperationStatuses/" + first + `","name":"` + first + `","status":"` + status + `",` + hour + rest + "}"
	}
	tests := map[string]struct {
		plan fakes.Plan
		end  func(c tester, svc *fakes.Service, status string) // ends the operation after an hour; nil if the plan does
		want string
	}{
		"no polls": {fakes.Plan{Duration: time.Hour}, nil, doc("Succeeded", "")},
		"failure":  {fakes.Plan{Duration: time.Hour, Ending: fakes.Failed, Error: fakes.Error{Code: "Quota", Message: "none left"}}, nil, doc("Failed", `,"error":{"code":"Quota","message":"none left"}`)},
		"last poll": {fakes.Plan{Polls: 1}, func(c tester, _ *fakes.Service, status string) {
			require.Equal(c, "Provisioning", c.get(status).status())
		}, doc("Succeeded", "")},
		"Finish": {fakes.Plan{Duration: fakes.Forever}, func(c tester, svc *fakes.Service, _ string) {
			require.True(c, svc.Finish(hcpCluster))
		}, doc("Succeeded", "")},
		"Cancel": {fakes.Plan{Duration: 2 * time.Hour}, func(c tester, svc *fakes.Service, _ string) {
			require.True(c, svc.Cancel(first))
		}, doc("Canceled", `,"error":{"code":"Canceled","message":"The operation was canceled."}`)},
		"superseded": {fakes.Plan{Duration: fakes.Forever}, func(c tester, _ *fakes.Service, _ string) {
			require.Equal(c, 202, c.do("DELETE", host+hcpCluster+hcpQuery, "").code)
		}, doc("Canceled", `,"error":{"code":"Canceled","message":"This operation was superseded by another"}`)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := &receiver{from: time.Now()}
				svc := arohcp.New()
				svc.Notify, svc.Default = fakes.Client(box), tt.plan
				c := newTester(t, svc)
				r := c.with(http.Header{"Azure-Asyncnotificationuri": {inbox}}, "PUT", host+hcpCluster+hcpQuery, "{}")
				require.Equal(t, "Enabled", r.header.Get("Azure-AsyncNotification"))
				time.Sleep(time.Hour)
				if tt.end != nil {
					require.Empty(t, box.got)
					tt.end(c, svc, r.header.Get("Azure-AsyncOperation"))
				}
				synctest.Wait()
				require.Equal(t, []string{posts + tt.want}, box.got)
				time.Sleep(10 * time.Hour)
				c.get(r.header.Get("Azure-AsyncOperation"))
				synctest.Wait()
				require.Len(t, box.got, 1)
				notes := svc.Notifications()
				require.Len(t, notes, 1)
				require.Equal(t, fakes.Notification{Time: box.from.Add(time.Hour), Operation: first, URI: inbox, Body: []byte(tt.want), StatusCode: 200}, notes[0])
			})
		})
	}
}

// The body of a notification is the operation's status document.
func TestNotificationBody(t *testing.T) {
	for name, svc := range map[string]*fakes.Service{"ARO-HCP": arohcp.New(), "plain": {}} {
		svc.Notify = fakes.Client(&receiver{})
		svc.Default.Result = map[string]int{"n": 1}
		svc.Put(widget, map[string]any{})
		c := newTester(t, svc)
		r := c.with(http.Header{"Azure-Asyncnotificationuri": {inbox}}, "POST", host+widget+"/requestAdminCredential"+query, "")
		require.True(t, svc.Finish(first))
		body := c.get(r.header.Get("Azure-AsyncOperation")).body
		require.Equal(t, body, string(svc.Notifications()[0].Body), name)
		require.Equal(t, name == "plain", strings.Contains(body, `"properties":{"n":1}`), name)
		svc.Close()
	}
}

// The service does not offer a notification if Notify is nil, the request names no URI for it,
// the operation is synchronous, or Close was called.
func TestNotificationNotOffered(t *testing.T) {
	asks := http.Header{"Azure-Asyncnotificationuri": {inbox}}
	client := fakes.Client(&receiver{})
	tests := map[string]struct {
		svc    *fakes.Service
		header http.Header
		want   string
	}{
		"no sender":   {&fakes.Service{}, asks, ""},
		"no URI":      {&fakes.Service{Notify: client}, nil, ""},
		"synchronous": {&fakes.Service{Notify: client, Default: fakes.Plan{Style: fakes.Synchronous}}, asks, ""},
		"offered":     {&fakes.Service{Notify: client}, asks, "Enabled"},
	}
	for name, tt := range tests {
		r := newTester(t, tt.svc).with(tt.header, "PUT", host+widget, "{}")
		require.Equal(t, tt.want, r.header.Get("Azure-AsyncNotification"), name)
		tt.svc.Close()
		require.Empty(t, newTester(t, tt.svc).with(tt.header, "PUT", host+widget+"2", "{}").header.Get("Azure-AsyncNotification"), "a closed service must not offer notifications")
	}
}

// The service records a failed notification and does not retry it.
func TestNotificationFails(t *testing.T) {
	tests := map[string]struct {
		do   func(http.Handler) http.Handler
		took time.Duration
		code int
		err  string
	}{
		"refused": {fakes.Status(503), 0, 503, ""},
		"dropped": {fakes.Drop(), 0, 0, "EOF"},
		"hanging": {fakes.Hang(), 30 * time.Second, 0, "deadline exceeded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := &receiver{}
				svc := &fakes.Service{Notify: fakes.Client(tt.do(box))}
				c := newTester(t, svc)
				c.with(http.Header{"Azure-Asyncnotificationuri": {inbox}}, "PUT", host+widget, "{}")
				require.True(t, svc.Finish(widget))
				time.Sleep(tt.took)
				synctest.Wait()
				notes := svc.Notifications()
				require.Len(t, notes, 1)
				require.Equal(t, tt.code, notes[0].StatusCode)
				if tt.err != "" {
					require.ErrorContains(t, notes[0].Err, tt.err)
				}
				time.Sleep(time.Hour)
				require.Empty(t, box.got)
				require.Len(t, svc.Notifications(), 1)
			})
		})
	}
}

// Close cancels the notification that is being sent, and does not wait for the receiver. After
// that, the service sends no notifications, but still answers requests.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Notify: fakes.Client(fakes.Hang()(&receiver{}))}
		svc.Plan(fakes.Plan{Path: "/widgets/late", Duration: time.Hour})
		c := newTester(t, svc)
		asks := http.Header{"Azure-Asyncnotificationuri": {inbox}}
		c.with(asks, "PUT", host+"/widgets/late", "{}")
		c.with(asks, "PUT", host+"/widgets/w1", "{}")
		require.True(t, svc.Finish("/widgets/w1"))
		start := time.Now()
		svc.Close()
		require.Zero(t, time.Since(start))
		require.ErrorContains(t, svc.Notifications()[0].Err, "canceled")
		time.Sleep(2 * time.Hour)
		require.Len(t, svc.Notifications(), 1)
		require.Equal(t, "Succeeded", c.get("/widgets/late").status(), "a closed service must still answer requests")
		synctest.Wait()
		require.Len(t, svc.Notifications(), 1)
		svc.Close()
	})
}
