# Completes the commands and flags of sonde in fish.
function __sonde_complete
    set -l found (sonde __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c sonde -f -a '(__sonde_complete)'
