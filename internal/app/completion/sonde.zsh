#compdef sonde
# Completes the commands and flags of sonde in zsh.
_sonde() {
  local word help
  local -a found
  while IFS=$'\t' read -r word help; do
    found+=("${word//:/\\:}:$help")
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then
    _describe sonde found
  else
    _files
  fi
}
if [[ $funcstack[1] == _sonde ]]; then
  _sonde "$@"
else
  compdef _sonde sonde
fi
