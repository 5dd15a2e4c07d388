import mysql from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { broadcast, contacts, until } from '../../stage/client.mjs';
import { check } from '../invariants.mjs';

const ROUNDS = 10;
/** so long the other node does not apply what the first has committed, after it was asked */
const LAG_MS = 700;
const CREDITS = 1_000;

export const name = 'commit-lost-at-failover';
export const shown = `the answer of a COMMIT is lost, and the next node has not applied the transaction yet when it is asked, ${ROUNDS} times`;
export const goal = '1 campaign and 1 debit for each request';
export const needs = ['cluster'];

/** Which node the application reaches; the answer of its next COMMIT can be kept back. */
async function openWay(stage) {
  let node = 0;
  const way = await stage.way(() => ({ port: stage.cluster.nodes[node].port }));
  return {
    way,
    /** @returns what resolves when a COMMIT was sent whose answer stays on its way */
    holdCommit: () =>
      new Promise((resolve) => {
        const end = way.tap(({ from, chunk, line }) => {
          if (from === 'client' && chunk.includes('COMMIT')) line.notes.commits = true;
          if (from !== 'server' || !line.notes.commits) return undefined;
          end();
          resolve();
          return 'hold';
        });
      }),
    go: (next) => {
      node = next;
      way.cut();
    },
  };
}

/** From here on the node applies nothing, until what is returned is called. */
async function stopApplying(stage, node) {
  const connection = await mysql.createConnection(stage.nodeUrls[node]);
  await connection.query(stage.cluster.stopApplying);
  // a node that is becoming the writer holds statements back, this session's UNLOCK among them
  return () => connection.destroy();
}

export async function run(stage) {
  // what is shown must not be what the nodes do by themselves for every read
  const readLate = await stage.cluster.readEarly();
  await stage.cluster.promote(stage.cluster.nodes[0]);
  const { way, holdCommit, go } = await openWay(stage);
  const api = await stage.start('api', { DATABASE_URL: way.through(stage.nodeUrls[0]) });
  const { admin, client } = await stage.signInAt(api, { gsm_credits: CREDITS });
  await stage.deadRoute(admin, 'bench', 'sms');
  const requestIds = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const [here, there] = [round % 2, (round + 1) % 2];
    await until(() => stage.query(there, 'SELECT COUNT(*) AS kept FROM campaigns'), ([row]) => Number(row.kept) >= round); // prettier-ignore
    const held = holdCommit();
    const startApplying = await stopApplying(stage, there);
    const answered = client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(1), 'bench'));
    await held;
    stage.say(`round ${round + 1}: committed on node ${stage.cluster.nodes[here].name}, asked on the other`);
    go(there);
    await sleep(LAG_MS);
    startApplying();
    await stage.cluster.promote(stage.cluster.nodes[there]);
    requestIds.add((await answered).request_id);
  }
  await readLate();
  const { campaigns, faults } = await check(stage, admin, ['bench']);
  const named = campaigns.filter(({ requestId }) => requestIds.has(requestId)).length;
  const wrong = faults.filter(({ invariant }) => invariant !== 'I3'); // nothing sends here
  return {
    figure: `${campaigns.length} campaigns of ${ROUNDS} requests`,
    ok: campaigns.length === ROUNDS && named === ROUNDS && wrong.length === 0,
    text: `${named} are those that were answered with; ${wrong.length} faults of credits or counts`,
  };
}
