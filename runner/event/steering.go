package event

// SteeringQueued tells that a message waits for an agent at work.
type SteeringQueued struct {
	Header  `json:"-"`
	Kind    string `json:"kind" doc:"steer, follow_up"`
	Waiting int    `json:"waiting" doc:"messages, this one included"`
}

// SteeringDelivered tells that messages that waited are in the conversation; their user_prompt came before.
type SteeringDelivered struct {
	Header `json:"-"`
	Kind   string `json:"kind" doc:"steer, follow_up"`
	Count  int    `json:"count"`
	Mode   string `json:"mode" doc:"one_at_a_time, all"`
}

// Type is steering_queued.
func (*SteeringQueued) Type() string { return "steering_queued" }

// Type is steering_delivered.
func (*SteeringDelivered) Type() string { return "steering_delivered" }
