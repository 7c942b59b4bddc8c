# Completions of toolgen for fish. In ~/.config/fish/config.fish: toolgen completions fish | source

# Whether the words so far lead to this command and to none below it.
function __toolgen_at
    set -l path toolgen
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
            case __paths__
                set path "$path $word"
        end
    end
    test "$path" = "$argv"
end

# Asks the command for the words that can follow.
function __toolgen_words
    set -l toolgen toolgen
    type -q toolgen; or set toolgen npx --no-install toolgen
    $toolgen (commandline -opc)[2..-1] --complete 2>/dev/null </dev/null
end

complete -c toolgen -f
__commands__

# npx toolgen as well.
function __toolgen_npx
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = toolgen
end

complete -c npx -n __toolgen_npx -f -a '(complete -C (string join " " (string escape -- (commandline -opc)[2..-1]) (commandline -ct)))'
