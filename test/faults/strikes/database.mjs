import { setTimeout as sleep } from 'node:timers/promises';

const FROZEN_MS = 30_000;
const CUT_EVERY_MS = 200;
const RIVALS = 3;
const ROWS = 40;

/** Rows that the service locks, in another order than its own (docs/decisions/0004). */
const LOCKS = [
  'SELECT 1 FROM campaign_lanes ORDER BY campaign_id DESC, lane DESC LIMIT ? FOR UPDATE',
  'SELECT 1 FROM credit_balances ORDER BY account_id DESC, balance DESC LIMIT ? FOR UPDATE',
  'SELECT 1 FROM campaigns ORDER BY id DESC LIMIT ? FOR UPDATE',
  'SELECT 1 FROM campaign_counters ORDER BY campaign_id DESC, lane DESC LIMIT ? FOR UPDATE',
  'SELECT 1 FROM campaign_recipients ORDER BY campaign_id DESC, seq DESC LIMIT ? FOR UPDATE',
  'SELECT 1 FROM provider_messages ORDER BY campaign_id DESC, seq DESC LIMIT ? FOR UPDATE',
];

/** Loaded late: a list of all faults is shown before anything is installed. */
const connect = async (uri) => (await import('mysql2/promise')).default.createConnection({ uri });

/** Locks, waits a moment, lets go, again and again, and is never the one who gives way when it can help it. */
async function contend(url, seed, isOver) {
  const connection = await connect(url);
  try {
    await connection.query('SET SESSION innodb_lock_wait_timeout = 2');
    while (!isOver()) {
      await connection.query('START TRANSACTION');
      for (const sql of seed.chance(0.5) ? LOCKS : seed.shuffle(LOCKS)) {
        await connection.query(sql, [ROWS]).catch(() => connection.query('ROLLBACK'));
        await sleep(seed.between(1, 15));
      }
      await connection.query('ROLLBACK');
      await sleep(seed.between(5, 40));
    }
  } finally {
    connection.destroy();
  }
}

export default [
  {
    name: 'database-killed',
    shown: 'the database gets SIGKILL, and is started again',
    async strike({ database }) {
      await database.kill();
      return async () => void (await database.start());
    },
  },
  {
    name: 'database-frozen',
    shown: `the database stands still for ${FROZEN_MS / 1_000} s (SIGSTOP)`,
    holdMs: [FROZEN_MS, FROZEN_MS],
    async strike({ database }) {
      database.freeze();
      return () => database.thaw();
    },
  },
  {
    name: 'connections-cut',
    shown: `every connection to the database is reset, again every ${CUT_EVERY_MS} ms`,
    holdMs: [3_000, 5_000],
    async strike(scene) {
      const cut = () => scene.waysTo('database').forEach((way) => way.cut());
      cut();
      const timer = setInterval(cut, CUT_EVERY_MS);
      return () => clearInterval(timer);
    },
  },
  {
    name: 'deadlocks-forced',
    shown: 'others lock the same rows in another order and hold them: deadlocks and lock waits',
    holdMs: [4_000, 6_000],
    async strike({ database }, seed, { say }) {
      const deadlocks = async () => {
        const connection = await connect(database.url);
        const [[row]] = await connection.query("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
        connection.destroy();
        return Number(row?.Value ?? 0);
      };
      const before = await deadlocks();
      let over = false;
      const rivals = Array.from({ length: RIVALS }, (_, index) =>
        contend(database.url, seed.of(`rival-${index}`), () => over),
      );
      return async () => {
        over = true;
        await Promise.all(rivals);
        const met = (await deadlocks()) - before;
        if (met === 0) throw new Error('no deadlock was met');
        say(`${met} deadlocks`);
      };
    },
  },
  {
    name: 'network-dropped',
    shown:
      'the network to the database drops every packet, for one API and one worker or for all; then they come through, or not',
    holdMs: [4_000, 9_000],
    async strike(scene, seed) {
      const all = [...scene.apis, ...scene.workers];
      const struck = seed.chance(0.5) ? all : [seed.pick(scene.apis), seed.pick(scene.workers)];
      const ways = struck.map((app) => app.ways.database);
      for (const way of ways) way.silence();
      const lines = seed.chance(0.5);
      return async () => void (await Promise.all(ways.map((way) => way.heal({ lines }))));
    },
  },
];
