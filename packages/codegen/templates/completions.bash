# Completions of toolgen for bash. In ~/.bashrc: eval "$(toolgen completions bash)"

# Prints the words that can follow, or the values of a field after FIELD and =, which are words of their own in bash.
__toolgen_words() {
  local toolgen=(toolgen) given=("${COMP_WORDS[@]:1:COMP_CWORD-1}") field='' words
  type toolgen >/dev/null 2>&1 || toolgen=(npx --no-install toolgen)
  if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then given+=('='); fi
  if [[ ${#given[@]} -gt 2 && ${given[${#given[@]} - 1]} == '=' ]]; then
    field="${given[${#given[@]} - 2]}="
    given=("${given[@]:0:${#given[@]}-2}")
  fi
  words=$("${toolgen[@]}" "${given[@]}" --complete 2>/dev/null </dev/null)
  if [[ -z $field ]]; then printf '%s\n' "$words"; return; fi
  while IFS= read -r word; do [[ $word == "$field"* ]] && printf '%s\n' "${word#"$field"}"; done <<<"$words"
}

_toolgen() {
  local word current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path='toolgen' candidates='' kind='' index
  COMPREPLY=()
  # bash takes the = of --option=value for a word of its own.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ $word == '--' ]]; then path='--'; break; fi
    case "$path $word" in
__paths__
    esac
  done
  case "$path|$previous" in
    '--|'*) kind=file ;;
__options__
    *)
      case "$path" in
__commands__
      esac ;;
  esac
  if [[ $kind == file || $kind == folder ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$([[ $kind == file ]] && echo -f || echo -d)" -- "$current")
  fi
  while IFS= read -r word; do [[ -n $word ]] && COMPREPLY+=("$word"); done < <(compgen -W "$candidates" -- "$current")
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}

_toolgen_npx() {
  [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == toolgen ]] || return
  COMP_WORDS=("${COMP_WORDS[@]:1}")
  COMP_CWORD=$((COMP_CWORD - 1))
  _toolgen
}

complete -F _toolgen toolgen
# npx toolgen as well, unless something completes npx already; any other word behind npx is left to bash.
complete -p npx >/dev/null 2>&1 || complete -o bashdefault -o default -F _toolgen_npx npx
