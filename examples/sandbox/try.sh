# Tries what a command may do. The rules allow this script; what it does is up to the sandbox.
try() {
	what=$1
	shift
	if "$@" 2>/dev/null; then echo "$what: done"; else echo "$what: refused"; fi
}
append() { (: >>"$1"); }
known() { [ -n "$(printenv "$1")" ]; }

mkdir -p build
try "write build/out.txt" append build/out.txt
try "write ../outside.txt" append ../outside.txt
try "write agents/builder.md" append agents/builder.md
try "read secret.txt" grep -q Mona secret.txt
try "see OPENAI_API_KEY" known OPENAI_API_KEY
