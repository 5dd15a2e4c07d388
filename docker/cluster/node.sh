#!/bin/bash
# Starts a node of Galera. The first one founds the cluster when none of the others is there and it has never been part of
# one; every other start joins. After all nodes were down at once, start the one whose grastate.dat says
# "safe_to_bootstrap: 1" with GALERA_BOOTSTRAP=--wsrep-new-cluster, then the others.
set -eu
found=${GALERA_BOOTSTRAP:-}
if [ "${GALERA_FIRST:-no}" = yes ] && [ ! -e /var/lib/mysql/grastate.dat ]; then
  found=--wsrep-new-cluster
  for peer in galera-b galera-c; do
    if (exec 3<>"/dev/tcp/$peer/4567") 2>/dev/null; then found=; fi
  done
fi
# shellcheck disable=SC2086 # no word where there is nothing to found
exec docker-entrypoint.sh "$@" $found
