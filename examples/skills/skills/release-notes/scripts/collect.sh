# Prints the changes of a folder by kind. A change file is named NUMBER.KIND.md and holds one line.
set -eu
for kind in added changed fixed; do
	found=
	for file in "$1"/*."$kind".md; do
		[ -f "$file" ] || continue
		if [ -z "$found" ]; then
			found=yes
			case $kind in added) echo "## Added" ;; changed) echo "## Changed" ;; fixed) echo "## Fixed" ;; esac
		fi
		printf -- '- %s (#%s)\n' "$(head -n 1 "$file")" "$(basename "$file" ".$kind.md")"
	done
done
