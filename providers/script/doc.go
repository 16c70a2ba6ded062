// Package script is a model made of rules: it answers offline, and its tool calls are real.
//
// The way of a call: Request → conversation (what rules may ask about) → the first rule whose When holds → its Reply,
// templates filled from the conversation → the answer, streamed in words. Rules arrive decoded; reading rule files is
// the business of package config, and nothing here touches a file, a clock of its own or the network.
package script
