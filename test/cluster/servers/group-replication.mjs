/** MySQL's Group Replication on 127.0.0.1: three nodes of which one writes, the primary, which the group elects. */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDebianMysql } from '../../../scripts/lib/debian-mysql.mjs';
import { serverPath, serverUser } from '../../../scripts/lib/environment.mjs';
import { startDatabase } from '../../../scripts/lib/mariadb.mjs';
import { findMysql } from '../../../scripts/lib/servers.mjs';
import { lastingPort } from '../../stage/ports.mjs';
import { atPort, CHECK_USER, Cluster, Node, NODES, queryOnce } from './cluster.mjs';

/** who copies from another node what was missed, and who changes the group */
const [RECOVERY_USER, OPERATOR] = ['recovery', 'operator'];

class GroupNode extends Node {
  get #args() {
    return [
      ...this.commonArgs,
      '--mysqlx=OFF',
      '--secure-file-priv=NULL',
      `--server-id=${NODES.indexOf(this.name) + 1}`,
      '--report-host=127.0.0.1',
      '--log-bin=binlog',
      '--gtid-mode=ON',
      '--enforce-gtid-consistency=ON',
      '--innodb-redo-log-capacity=256M',
      // docs/operate/cluster.md says why
      '--plugin-load-add=group_replication.so',
      `--group-replication-group-name=${this.group}`,
      `--group-replication-local-address=${this.address}`,
      `--group-replication-group-seeds=${this.seeds.join(',')}`,
      '--group-replication-consistency=BEFORE_ON_PRIMARY_FAILOVER',
      '--group-replication-member-expel-timeout=0',
      '--group-replication-unreachable-majority-timeout=10',
      '--group-replication-recovery-get-public-key=ON',
      '--group-replication-message-cache-size=256M',
      '--group-replication-start-on-boot=OFF',
    ];
  }

  /** What the node says of itself: `state` and `role`. */
  async member() {
    const sql = `SELECT MEMBER_STATE AS state, MEMBER_ROLE AS role, MEMBER_ID AS id
      FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid`;
    return (await queryOnce(this.operatorUrl, sql))[0];
  }

  async isOnline() {
    return (await this.member())?.state === 'ONLINE';
  }

  /** Starts the server, joins the group and waits until it has all that the group has. @param {boolean} isFirst begins the group */
  async start(program, isFirst) {
    this.prepare(serverUser());
    await this.launch(program, this.#args, async () => {
      await queryOnce(this.operatorUrl, 'SELECT 1');
      return true;
    });
    for (const sql of [
      `CHANGE REPLICATION SOURCE TO SOURCE_USER = '${RECOVERY_USER}', SOURCE_PASSWORD = '${this.password}'
         FOR CHANNEL 'group_replication_recovery'`,
      ...(isFirst ? ['SET GLOBAL group_replication_bootstrap_group = ON'] : []),
      'START GROUP_REPLICATION',
      ...(isFirst ? ['SET GLOBAL group_replication_bootstrap_group = OFF'] : []),
    ]) {
      await queryOnce(this.operatorUrl, sql);
    }
    await this.until(() => this.isOnline());
  }
}

/** The group. It says itself which node writes. */
class GroupReplication extends Cluster {
  causal = "SET SESSION group_replication_consistency = 'BEFORE'";
  // a read lock of everything stops it at its COMMIT, where it has its row locks already
  stopApplying = 'LOCK TABLES campaigns READ';
  proxy = { file: 'group-replication.cfg', prefix: 'MYSQL' };

  constructor(nodes, program) {
    super(nodes);
    this.program = program;
  }

  restart(node) {
    return node.start(this.program, !this.nodes.some((other) => other !== node && other.isAlive));
  }

  /** Whether the group counts this node in; the node itself may not know yet that it was expelled. */
  async isInStep(node) {
    const { state } = (await node.member()) ?? {};
    // it tries once to come back by itself; what an operator does then
    if (state === 'ERROR') await queryOnce(node.operatorUrl, 'STOP GROUP_REPLICATION');
    if (state === 'ERROR' || state === 'OFFLINE') await queryOnce(node.operatorUrl, 'START GROUP_REPLICATION');
    const others = (await this.members()).filter(({ port, by }) => port === node.port && by !== node);
    return state === 'ONLINE' && others.every((member) => member.state === 'ONLINE') && others.length > 0;
  }

  /** What each node that answers says of each: `{ by, port, state, role }`. */
  async members() {
    const sql = `SELECT MEMBER_PORT AS port, MEMBER_STATE AS state, MEMBER_ROLE AS role
      FROM performance_schema.replication_group_members`;
    const asked = this.nodes.filter(({ isAlive, isFrozen }) => isAlive && !isFrozen);
    const said = await Promise.all(asked.map((by) => queryOnce(by.operatorUrl, sql).catch(() => [])));
    return said.flatMap((rows, index) => rows.map((row) => ({ by: asked[index], ...row })));
  }

  /** The node that the group has elected: two say so. */
  async writer() {
    const named = (await this.members()).filter(({ state, role }) => state === 'ONLINE' && role === 'PRIMARY');
    const writer = this.nodes.find(({ port }) => named.filter((member) => member.port === port).length > 1);
    if (writer === undefined) throw new Error('no node writes');
    return writer;
  }

  /** Makes a node the writer. */
  async promote(node) {
    const { id, role } = await node.member();
    if (role !== 'PRIMARY') await queryOnce(node.operatorUrl, `SELECT group_replication_set_as_primary('${id}')`);
  }

  /** Nodes read so by default. */
  readEarly() {
    return () => undefined;
  }
}

/** True when a server of MySQL is here, or can be fetched. */
export const mysqlProgram = async () => findMysql() ?? (await ensureDebianMysql());

/** Three nodes of equal data. @param {string} directory of their own */
export async function startGroupReplication(directory) {
  const program = await mysqlProgram();
  const password = randomBytes(12).toString('hex');
  const user = (name) => `'${name}'@'127.0.0.1'`;
  // once: what a node writes before it joins, the others would not have
  const single = await startDatabase(program, directory, {
    statements: [
      `CREATE USER ${user(CHECK_USER)};`,
      `GRANT SELECT ON performance_schema.replication_group_members TO ${user(CHECK_USER)};`,
      `CREATE USER ${user(RECOVERY_USER)} IDENTIFIED BY '${password}';`,
      `GRANT REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO ${user(RECOVERY_USER)};`,
      `CREATE USER ${user(OPERATOR)} IDENTIFIED BY '${password}';`,
      `GRANT ALL ON *.* TO ${user(OPERATOR)};`,
      // a row may make a node lag behind
      `GRANT RELOAD ON *.* TO ${user('switchboard')};`,
    ],
  });
  await single.stop();
  const made = join(serverPath(directory, 'mysql', serverUser()), 'data');
  rmSync(join(made, 'auto.cnf'));
  const group = randomUUID();
  const addresses = [];
  while (addresses.length < NODES.length) addresses.push(`127.0.0.1:${await lastingPort()}`);
  const nodes = [];
  for (const [index, name] of NODES.entries()) {
    const home = join(directory, name);
    const data = join(home, 'data');
    const port = await lastingPort();
    const node = new GroupNode({ name, home, data, port, group, password, url: atPort(single.url, port) });
    node.address = addresses[index];
    node.seeds = addresses.filter((address) => address !== node.address);
    node.operatorUrl = `mysql://${OPERATOR}:${password}@127.0.0.1:${port}/`;
    node.prepare(serverUser());
    execFileSync('cp', ['-a', `${made}/.`, data]);
    nodes.push(node);
  }
  const cluster = new GroupReplication(nodes, program);
  try {
    return await cluster.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
