package event

// SkillsLoaded tells which skills an agent sees, when it has any.
type SkillsLoaded struct {
	Header  `json:"-"`
	Names   []string `json:"names"`
	Skipped []string `json:"skipped" doc:"asked for and not there"`
}

// SkillActivated tells that a skill was loaded, by the model or by a person.
type SkillActivated struct {
	Header `json:"-"`
	Name   string `json:"name"`
	Tokens int    `json:"tokens" doc:"of its text, as estimated"`
}

// Type is skills_loaded.
func (*SkillsLoaded) Type() string { return "skills_loaded" }

// Type is skill_activated.
func (*SkillActivated) Type() string { return "skill_activated" }
