# Sourced by scripts that run an application.

# Starts an application on a free port and waits for it; sets app to its process, and port.
start_application() { # its log, then the arguments of java
    local log=$1
    shift
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@" --server.port=0 >"$log" 2>&1 &
    app=$!
    port=
    for _ in $(seq 120); do
        port=$(sed -n 's/.*Tomcat started on port \([0-9]*\).*/\1/p' "$log")
        [ -z "$port" ] || return 0
        kill -0 "$app" 2>/dev/null || break
        sleep 0.5
    done
    echo "The application did not start:"
    cat "$log"
    return 1
}

# Waits, if need be, until so much is left of a minute that a few requests fit into one window.
await_room_in_minute() {
    local second=$((10#$(date +%S)))
    [ "$second" -lt 50 ] || sleep $((60 - second))
}
