#!/bin/sh
# A sentinel keeps what it learns in its file, so the file is made once.
set -eu
file=/data/sentinel.conf
if [ ! -e "$file" ]; then
  cat > "$file" <<END
port 26379
dir /data
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel monitor switchboard redis 6379 2
sentinel auth-pass switchboard $REDIS_PASSWORD
sentinel down-after-milliseconds switchboard 3000
sentinel failover-timeout switchboard 15000
sentinel parallel-syncs switchboard 1
requirepass $REDIS_PASSWORD
sentinel sentinel-pass $REDIS_PASSWORD
END
fi
exec redis-server "$file" --sentinel
