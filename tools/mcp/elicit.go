package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/tools"
)

// elicit puts a question of the server to the person of the run; where nobody is, it is declined.
func (l *link) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	no := sdk.ElicitResult{Action: "decline"}
	c, err := l.caller()
	if err != nil || c.Ask == nil {
		return &no, nil
	}
	text := fmt.Sprintf("the server %s asks: %s", l.server.Name, short(r.Params.Message, maxMessage))
	if r.Params.URL != "" {
		text += " (it wants you to open " + short(r.Params.URL, maxMessage) + ")"
	}
	q := tools.Question{Agent: c.Agent, Tool: c.Tool, Text: text}
	fields, ok := fieldsOf(r.Params.RequestedSchema)
	if !ok {
		return &no, nil
	}
	if len(fields) == 0 {
		answer, err := c.Ask.Ask(ctx, q)
		if err != nil || answer == tools.Refuse {
			return &no, nil
		}
		return &sdk.ElicitResult{Action: "accept"}, nil
	}
	form, ok := c.Ask.(tools.FormFiller)
	if !ok {
		return &no, nil
	}
	values, err := form.Fill(ctx, q, fields)
	if err != nil || values == nil {
		return &no, nil
	}
	content, ok := typed(values, r.Params.RequestedSchema)
	if !ok {
		return &no, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// property is one field of a form, as servers write it.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	Default     any      `json:"default"`
}

type form struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

const maxFields = 32

func formOf(schema any) (form, bool) {
	var f form
	if schema == nil {
		return f, true
	}
	raw, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(raw, &f) != nil || len(f.Properties) > maxFields {
		return f, false
	}
	return f, true
}

// fieldsOf are the fields of a form for a person, sorted by name; false: it is none that can be filled in.
func fieldsOf(schema any) ([]tools.FormField, bool) {
	f, ok := formOf(schema)
	if !ok {
		return nil, false
	}
	var out []tools.FormField
	for _, name := range slices.Sorted(maps.Keys(f.Properties)) {
		p := f.Properties[name]
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, p.Type) {
			return nil, false
		}
		field := tools.FormField{
			Name: name, Text: short(cmp.Or(p.Description, p.Title, name), 300), Type: p.Type, Required: slices.Contains(f.Required, name),
		}
		for _, e := range p.Enum {
			field.Choices = append(field.Choices, short(e, 100))
		}
		if p.Default != nil {
			field.Default = short(fmt.Sprint(p.Default), 300)
		}
		out = append(out, field)
	}
	return out, true
}

// typed turns what a person wrote into values of the form's types; false: something does not fit.
func typed(values map[string]string, schema any) (map[string]any, bool) {
	f, ok := formOf(schema)
	out := map[string]any{}
	for name, p := range f.Properties {
		v, given := values[name]
		if !given || v == "" && p.Type != "string" {
			if slices.Contains(f.Required, name) {
				return nil, false
			}
			continue
		}
		var err error
		switch p.Type {
		case "boolean":
			out[name], err = strconv.ParseBool(v)
		case "integer":
			out[name], err = strconv.Atoi(v)
		case "number":
			out[name], err = strconv.ParseFloat(v, 64)
		default:
			out[name] = v
			ok = ok && (len(p.Enum) == 0 || slices.Contains(p.Enum, v))
		}
		ok = ok && err == nil
	}
	return out, ok
}
