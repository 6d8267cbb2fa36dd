# SPDX-License-Identifier: MIT
# The tour in the README prints what it shows: each of its commands is run in order.
# TOUR=FILE writes what it really prints there, indented for the README.
ln -s "$BUILD" build
sed -n '/<!-- tour/,/<!-- end of tour/s/^    //p' "$SOURCE/README.md" > shown
grep -q '^\$ ' shown || { echo 'the README has no tour'; exit 1; }
sed -n 's/^\$ //p' shown | while IFS= read -r command; do
    printf '$ %s\n' "$command"
    eval "$command" 2>&1 || printf '[status %d]\n' $?
done > printed
[ -z "${TOUR-}" ] || sed 's/^/    /' printed > "$TOUR"
diff shown printed
