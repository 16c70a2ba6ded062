// Package tools is what a model may call, and the rules about it.
//
// The way of a call: the model's arguments → schema → permission rules → Tool.Call → Result. A Tool is shared by all runs
// and generations; whatever belongs to one run comes in the Call.
package tools
