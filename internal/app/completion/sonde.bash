# Completes the commands and flags of sonde in bash.
_sonde() {
  local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]} found
  found=$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
  if [[ $word == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    found=$(sed 's/^[^=]*=//' <<<"$found") # bash keeps what is before the equals sign
  fi
  COMPREPLY=($found)
}
complete -o default -F _sonde sonde
