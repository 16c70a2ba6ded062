package main

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// The things that keys ask for.
type wish int

const (
	wishNothing   wish = iota
	wishSend           // the text
	wishInterrupt      // the turn
	wishQuit
)

// press takes one key. The text is what is to be sent.
func (s *chatScreen) press(k tea.KeyPressMsg) (wish, string) {
	name := k.Keystroke()
	if name != "ctrl+c" {
		s.armed = ""
	}
	switch name {
	case "ctrl+c":
		return s.stop(), ""
	case "ctrl+d":
		if s.input.value() == "" {
			return wishQuit, ""
		}
	case "ctrl+t":
		s.unfolded = !s.unfolded
		for _, b := range s.blocks {
			b.fold()
		}
		return wishNothing, ""
	case "pgup":
		s.scrollBy(max(s.h-6, 1))
		return wishNothing, ""
	case "pgdown":
		s.scrollBy(-max(s.h-6, 1))
		return wishNothing, ""
	case "end":
		if s.scroll > 0 {
			s.scroll = 0
			return wishNothing, ""
		}
	}
	if s.asking != nil {
		s.answer(k)
		return wishNothing, ""
	}
	return s.write(name, k)
}

// scrollBy goes back in the conversation, or forth again.
func (s *chatScreen) scrollBy(lines int) { s.scroll = max(s.scroll+lines, 0) }

// stop is Ctrl-C: it ends the turn, or what is being written, or the chat.
func (s *chatScreen) stop() wish {
	switch {
	case s.working && !s.stopping:
		s.stopping, s.armed = true, "Ctrl-C again quits"
		return wishInterrupt
	case s.armed != "" || s.stopping || s.loading:
		return wishQuit
	case s.input.value() != "":
		s.put("")
	}
	s.armed = "Ctrl-C again quits"
	return wishNothing
}

// answer takes the key that answers a question; others do nothing.
func (s *chatScreen) answer(k tea.KeyPressMsg) {
	said := strings.ToLower(k.Text)
	if k.Keystroke() == "esc" {
		said = "n"
	}
	if said == "y" || said == "r" || said == "n" || said == "a" && s.asking.always {
		s.asking.reply <- said // it has room for one
		s.asking = nil
	}
}

// write is a key for what is being written.
func (s *chatScreen) write(name string, k tea.KeyPressMsg) (wish, string) {
	switch name {
	case "esc":
		s.offers = nil
		return wishNothing, ""
	case "tab":
		s.accept()
		return wishNothing, ""
	case "up", "down":
		if s.choose(name == "up") {
			return wishNothing, ""
		}
	case "enter":
		text := s.input.value()
		if line, ok := strings.CutSuffix(text, `\`); ok {
			s.put(line + "\n")
			return wishNothing, ""
		}
		return s.send(strings.TrimSpace(text))
	}
	s.input.press(name, k.Text)
	s.offer()
	return wishNothing, ""
}

func (s *chatScreen) send(text string) (wish, string) {
	if text == "" || s.loading {
		return wishNothing, ""
	}
	if n := len(s.sent); n == 0 || s.sent[n-1] != text {
		s.sent = append(s.sent, text)
	}
	s.at, s.draft = len(s.sent), ""
	s.put("")
	return wishSend, text
}

// put replaces what is being written.
func (s *chatScreen) put(text string) {
	s.input.set(text)
	s.offers = nil
}

// paste puts text in at the cursor.
func (s *chatScreen) paste(text string) {
	s.input.insert(strings.ReplaceAll(text, "\r\n", "\n"))
	s.offers = nil
}

// choose moves among completions, or among what was sent before where the cursor is at the edge of the text.
func (s *chatScreen) choose(up bool) bool {
	if n := len(s.offers); n > 0 {
		if up {
			s.chosen = (s.chosen + n - 1) % n
		} else {
			s.chosen = (s.chosen + 1) % n
		}
		return true
	}
	if up && s.input.first() && s.at > 0 {
		if s.at == len(s.sent) {
			s.draft = s.input.value()
		}
		s.at--
		s.put(s.sent[s.at])
		return true
	}
	if !up && s.input.last() && s.at < len(s.sent) {
		s.at++
		if s.at == len(s.sent) {
			s.put(s.draft)
		} else {
			s.put(s.sent[s.at])
		}
		return true
	}
	return false
}
