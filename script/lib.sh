# shellcheck shell=bash
# Sourced by the scripts beside it; leaves them in the root of the tree.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What another clone of this tree has compiled is not compiled again.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# What was compiled with a precompiled header is found again by the header's checksum.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

jobs_count() {
    nproc 2>/dev/null || echo 2
}

# npm_install FOLDER installs what the folder's lock file pins, once for each lock file, and prints where.
npm_install() {
    local lock=$1/package-lock.json folder
    folder=${XDG_CACHE_HOME:-$HOME/.cache}/flowfabric/npm-$(sha256sum "$lock" | cut -c 1-16)
    if [[ ! -f $folder/complete ]]; then
        mkdir -p "$folder"
        cp "$1/package.json" "$lock" "$folder"
        npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent >&2
        touch "$folder/complete"
    fi
    echo "$folder"
}

configure() {
    cmake --preset "$1" >/dev/null
}

# build PRESET [TARGET…]
build() {
    local preset=$1
    shift
    if (($#)); then
        cmake --build --preset "$preset" -j "$(jobs_count)" --target "$@"
    else
        cmake --build --preset "$preset" -j "$(jobs_count)"
    fi
}

own_sources() {
    find include src tests -type f \( -name '*.hpp' -o -name '*.cpp' \) 2>/dev/null | sort
}

phase_times=()

# phase NAME COMMAND… stops the script if the command fails.
phase() {
    local name=$1 started=$SECONDS
    shift
    echo "== $name"
    current_phase=$name
    "$@"
    current_phase=
    phase_times+=("$(printf '%-24s %5d s' "$name" $((SECONDS - started)))")
}

report_phases() {
    local status=$?
    echo "== times"
    if ((${#phase_times[@]})); then
        printf '%s\n' "${phase_times[@]}"
    fi
    if ((status)); then
        echo "FAILED (exit $status)${current_phase:+ in: $current_phase}"
    fi
    printf '%-24s %5d s\n' total "$SECONDS"
}
