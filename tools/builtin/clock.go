package builtin

import (
	"context"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

func newClock() tools.Tool {
	return &tool[struct{}]{
		spec: spec("Clock", "Tells the present date, time and weekday.", `{"type":"object","properties":{}}`, true),
		run: func(_ context.Context, c *tools.Call, _ struct{}) (tools.Result, error) {
			now := c.Now
			if now == nil {
				now = time.Now
			}
			t := now()
			return text("%s\nISO 8601: %s", t.Format("Date: 2006-01-02\nTime: 15:04:05 MST\nWeekday: Monday"), t.Format(time.RFC3339)), nil
		},
	}
}
