package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	ToolCalls []call `json:"tool_calls,omitempty"`
	CallID    string `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			ToolCalls []call `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

var tools = json.RawMessage(`[{"type":"function","function":{"name":"Read","description":"Reads a file.","parameters":` +
	`{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}}}]`)

func main() {
	agents := 1
	if len(os.Args) > 3 {
		agents, _ = strconv.Atoi(os.Args[3])
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: agents}}
	var wg sync.WaitGroup
	for range agents {
		wg.Go(func() {
			answer, err := run(client, os.Args[1], os.Args[2])
			if err != nil {
				log.Fatal(err)
			}
			if agents == 1 {
				fmt.Println(answer)
			}
		})
	}
	wg.Wait()
}

func run(client *http.Client, url, file string) (string, error) {
	conversation := []message{{Role: "system", Content: "You read files."}, {Role: "user", Content: "Read " + file}}
	for {
		answer, err := ask(client, url, conversation)
		if err != nil || len(answer.ToolCalls) == 0 {
			return answer.Content, err
		}
		conversation = append(conversation, answer)
		for _, c := range answer.ToolCalls {
			var input struct {
				FilePath string `json:"file_path"`
			}
			if err := json.Unmarshal([]byte(c.Function.Arguments), &input); err != nil {
				return "", err
			}
			text, err := os.ReadFile(input.FilePath)
			if err != nil {
				return "", err
			}
			conversation = append(conversation, message{Role: "tool", Content: string(text), CallID: c.ID})
		}
	}
}

func ask(client *http.Client, url string, conversation []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": "bench", "stream": true, "messages": conversation, "tools": tools})
	if err != nil {
		return message{}, err
	}
	resp, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	answer := message{Role: "assistant"}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return answer, err
		}
		for _, choice := range c.Choices {
			answer.Content += choice.Delta.Content
			answer.ToolCalls = append(answer.ToolCalls, choice.Delta.ToolCalls...)
		}
	}
	return answer, lines.Err()
}
