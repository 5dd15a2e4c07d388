-- by whom docker/haproxy/haproxy.cfg asks a node for its state: may log in, and nothing else
CREATE USER IF NOT EXISTS 'haproxy'@'%';
