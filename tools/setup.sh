# Shared by ./run and ./check, read with `source`: find and install missing Debian packages, configure, build.
# The caller has set `root` to the folder of the project.

say() { printf '\n== %s\n' "$*" >&2; }
die() { printf '%s\n' "$*" >&2; exit 2; }

# The packages that packages.txt lists in the sections named.
packages_of() {
    awk -v wanted=" $* " '
        /^# \[/ { section = $2; gsub(/[][]/, "", section); next }
        /^#/ || NF == 0 { next }
        index(wanted, " " section " ") { print $1 }' "$root/packages.txt"
}

is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Installs what is missing of the sections named and asks nothing; does not call apt when nothing is missing.
install_missing() {
    if ! command -v dpkg-query >/dev/null; then
        say "no dpkg here: expecting the libraries of packages.txt ($*) to be installed already"
        return
    fi

    local package missing=() as_root=()
    for package in $(packages_of "$@"); do
        is_installed "$package" || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then return; fi

    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            die "missing packages: ${missing[*]}
Installing them needs root, or sudo without a password. Run once, as root:
  apt-get install --no-install-recommends ${missing[*]}"
        fi
        as_root=(sudo -n)
    fi

    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300
               -o Dpkg::Use-Pty=0)
    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    "${apt[@]}" update >&2 && "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 </dev/null ||
        die "apt-get failed, see above; without a network install these by hand: ${missing[*]}"
}

# is_on BUILD_FOLDER OPTION WANTED(ON or OFF): the folder was configured with the option, or it is not wanted.
is_on() { [ "$3" = OFF ] || grep -qx "$2:BOOL=ON" "$1/CMakeCache.txt"; }

has_mpi() { command -v mpicc >/dev/null; }

# configure PRESET BUILD_FOLDER TESTS(ON or OFF) [PYTHON(ON or OFF)]: once; later ninja itself notices what changed. A
# folder configured without tests or Python is configured again when they are wanted, never the other way round. The tests
# of a release come with MPI where there is one; under sanitizers it would be seen to leak.
configure() {
    local preset=$1 folder=$root/$2 tests=$3 python=${4:-OFF} mpi=OFF options=()
    if has_mpi && [ "$preset:$tests" = release:ON -o "$preset" = lint ]; then mpi=ON; fi
    if [ -f "$folder/build.ninja" ] && [ ! "$root/CMakePresets.json" -nt "$folder/build.ninja" ] &&
        is_on "$folder" CAROM_TESTS "$tests" && is_on "$folder" CAROM_PYTHON_MODULE "$python" &&
        is_on "$folder" CAROM_MPI "$mpi"; then return; fi
    if [ "$tests" = ON ] || [ ! -f "$folder/CMakeCache.txt" ]; then options+=(-D "CAROM_TESTS=$tests"); fi
    if [ "$python" = ON ]; then options+=(-D CAROM_PYTHON_MODULE=ON); fi
    if [ "$mpi" = ON ]; then options+=(-D CAROM_MPI=ON); fi
    say "configuring $2"
    (cd "$root" && cmake --preset "$preset" "${options[@]}") >&2
}

# build BUILD_FOLDER [TARGET]: progress is ninja's own, with the seconds passed.
build() {
    local folder=$root/$1 target=${2:-all}
    # ccache wants a place to write, and service accounts may have no home
    [ -w "${HOME:-/nonexistent}" ] || export CCACHE_DIR="${CCACHE_DIR:-$folder/ccache}"
    say "building $1 ($target)"
    NINJA_STATUS="${NINJA_STATUS:-[%f/%t, %es] }" cmake --build "$folder" --target "$target" >&2
}
