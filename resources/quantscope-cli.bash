# Completion for quantscope-cli: commands, options and formats as its own help lists them.

_quantscope_cli() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local program=${COMP_WORDS[0]} word words
  local -a commands=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      -*) break ;;
      bench|project) commands+=("$word") ;;
      *) commands+=("$word"); [[ ${commands[0]} == bench || ${commands[0]} == project ]] || break
         [[ ${#commands[@]} -lt 2 ]] || break ;;
    esac
  done
  COMPREPLY=()
  case $previous in
    --format)
      words=$("$program" export --help 2>/dev/null | tr -d '\n' | grep -o '{[^}]*}' | head -n 1 |
              tr -d '{} ' | tr ',' ' ')
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
      return ;;
  esac
  if [[ $current == -* ]]; then
    words=$("$program" "${commands[@]}" --help 2>/dev/null | grep -o -e '--[a-z-]*' | sort -u)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [[ ${#commands[@]} -eq 0 || ( ${#commands[@]} -eq 1 &&
        ( ${commands[0]} == bench || ${commands[0]} == project ) ) ]]; then
    words=$("$program" "${commands[@]}" --help 2>/dev/null |
            sed -n '/^Subcommands:/,$s/^  \([a-z][a-z-]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  compopt -o default 2>/dev/null
}

complete -F _quantscope_cli quantscope-cli
