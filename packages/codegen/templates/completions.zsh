#compdef toolgen
# Completions of toolgen for zsh. In ~/.zshrc, after compinit: eval "$(toolgen completions zsh)"

__functions__

# Asks the command for the words that can follow.
_toolgen_words() {
  local -a toolgen found
  toolgen=(toolgen)
  (( ${+commands[toolgen]} )) || toolgen=(npx --no-install toolgen)
  found=(${(f)"$($toolgen ${words[1,CURRENT-1]} --complete 2>/dev/null </dev/null)"})
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}

_toolgen_npx() {
  if (( CURRENT > 2 )) && [[ $words[2] == toolgen ]]; then shift words; (( CURRENT -= 1 )); _toolgen; else _default; fi
}

if [[ ${funcstack[1]} == _toolgen ]]; then _toolgen "$@"; else compdef _toolgen toolgen; fi
# npx toolgen as well, unless something completes npx already.
(( ${+_comps[npx]} )) || compdef _toolgen_npx npx
