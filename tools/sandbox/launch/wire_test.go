package launch

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestFields finds a field that was added to a type and not to its message.
func TestFields(t *testing.T) {
	for _, m := range []struct {
		of     reflect.Type
		fields []field
	}{
		{reflect.TypeFor[Policy](), new(Policy).fields()},
		{reflect.TypeFor[Answer](), new(Answer).fields()},
	} {
		names := map[string]bool{}
		for _, f := range m.fields {
			names[f.name] = true
		}
		for f := range m.of.Fields() {
			if !names[strings.ToLower(f.Name)] {
				t.Errorf("%s.%s does not travel", m.of.Name(), f.Name)
			}
		}
		if len(names) != m.of.NumField() {
			t.Errorf("%s has %d fields, its message %d", m.of.Name(), m.of.NumField(), len(names))
		}
	}
}

func TestPolicyTravels(t *testing.T) {
	sent := Policy{
		Program: "/bin/sh", Argv: []string{"sh", "-c", "printf 'a\nb'", "", "write 1 /\n\n", "nul\x00in it", "ü"}, Env: []string{"A=b"}, Dir: "/a b", Tmp: "/tmp/x",
		Drain: 200, Grace: 300, Probe: true, Read: []string{"/usr", "/lib"}, Write: []string{"/w\nwrite 1 /"}, Hide: []string{"/h"},
		Keep: []string{"/k"}, Through: []string{"/t"}, Landlock: 6, Mounts: true, User: true, UID: 1000, GID: -1, Network: true, Filter: true,
	}
	var buf bytes.Buffer
	if err := sent.Send(&buf); err != nil {
		t.Fatal(err)
	}
	var got Policy
	if err := got.Receive(&buf); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sent) {
		t.Errorf("sent %+v\ngot  %+v", sent, got)
	}
}

// TestAnswersFollow reads two answers from one stream: the second says how what the first began has ended.
func TestAnswersFollow(t *testing.T) {
	var buf bytes.Buffer
	for _, a := range []Answer{{Started: 7}, {Ended: true, Exit: -1, Signal: 9}} {
		if err := a.Send(&buf); err != nil {
			t.Fatal(err)
		}
	}
	var a Answer
	for range 2 {
		if err := a.Receive(&buf); err != nil {
			t.Fatal(err)
		}
	}
	if want := (Answer{Started: 7, Ended: true, Exit: -1, Signal: 9}); a != want {
		t.Errorf("got %+v, want %+v", a, want)
	}
	if err := a.Receive(&buf); err == nil {
		t.Error("the end of the stream is an answer")
	}
}

func FuzzReceive(f *testing.F) {
	for _, s := range []string{"0\n", "28\nprogram 7 /bin/sh\nargv 2 sh\n", "10\ndrain x 1\n", "9\nargv -1 \n", "9\nargv 9 \n", "10\nnobody 0 \n", "8\nuid 1 x\n", "10\nargv 1 ab\n", "99999999999\n", "-1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var p, again Policy
		if p.Receive(bytes.NewReader(in)) != nil {
			return
		}
		var buf bytes.Buffer
		if err := p.Send(&buf); err != nil {
			t.Fatal(err)
		}
		if err := again.Receive(&buf); err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%q: %+v became %+v, %v", in, p, again, err)
		}
	})
}
