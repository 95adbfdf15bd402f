# Plays the first legal move. Run with: awk -f first.awk (mawk needs -W interactive)
$1 == "mextrain-bot" { print "ready name first-awk"; fflush() }
$1 == "decide" { for (i = 2; $i != "legal"; i++); print "play", $(i + 1); fflush() }
$1 == "quit" { exit }
