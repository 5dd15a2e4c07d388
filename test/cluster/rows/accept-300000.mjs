import { setTimeout as sleep } from 'node:timers/promises';
import { median, size } from '../../stage/figures.mjs';
import { broadcast, contacts, until } from '../../stage/client.mjs';
import mysql from 'mysql2/promise';

const CONTACTS = size('CLUSTER_CONTACTS', 300_000);
const ACCEPTS = 5;
const LIMIT_MS = 300;
/** what else commits meanwhile: a row each time, on every node */
const EVERY_MS = 10;
const REST_MS = 2_000;

export const name = 'accept-300000';
export const shown = 'commits of a row on each of three nodes while 300,000 recipients are accepted, five times';
export const goal = 'the longest wait ≤ 300 ms (median of the five)';
export const needs = ['galera'];

/** Commits rows of its own on a node, one after the other; `worst()` is the longest since it was last asked. */
async function startCommits(stage, node) {
  const connection = await mysql.createConnection(stage.nodeUrls[node]);
  let [worst, count, isOver] = [0, 0, false];
  const commits = async () => {
    while (!isOver) {
      const began = performance.now();
      await connection.query('UPDATE commits SET moved = moved + 1 WHERE node = ?', [node]);
      worst = Math.max(worst, performance.now() - began);
      count++;
      await sleep(EVERY_MS);
    }
  };
  const ended = commits();
  const stop = async () => {
    isOver = true;
    await ended;
    await connection.end();
  };
  const look = () => {
    const answer = { worst, count };
    [worst, count] = [0, 0];
    return answer;
  };
  return { look, stop };
}

export async function run(stage) {
  const api = await stage.start('api');
  const { admin, client } = await stage.signInAt(api);
  await stage.deadRoute(admin, 'bench', 'sms');
  await stage.pool.query('CREATE TABLE commits (node INT NOT NULL PRIMARY KEY, moved INT NOT NULL)');
  await stage.pool.query('INSERT INTO commits VALUES ?', [stage.nodeUrls.map((_, node) => [node, 0])]);
  const body = broadcast(contacts(CONTACTS), 'bench');
  const commits = await Promise.all(stage.nodeUrls.map((_, node) => startCommits(stage, node)));
  const longest = () => Math.max(...commits.map(({ look }) => look().worst));
  const [waits, rests, times] = [[], [], []];
  try {
    for (let round = 0; round < ACCEPTS; round++) {
      longest();
      await sleep(REST_MS);
      rests.push(longest());
      const began = performance.now();
      await client.call('POST', '/webhook/api/addbroadcastgsm.php', body);
      times.push(performance.now() - began);
      // what was committed last is applied elsewhere a moment later
      for (const node of stage.nodeUrls.keys()) await stage.query(node, 'SELECT 1');
      waits.push(longest());
      stage.say(`${times.at(-1).toFixed(0)} ms for all, ${waits.at(-1).toFixed(0)} ms the longest commit elsewhere, at rest ${rests.at(-1).toFixed(0)} ms`); // prettier-ignore
    }
  } finally {
    for (const one of commits) await one.stop();
  }
  const stored = 'SELECT COUNT(*) AS kept FROM campaign_recipients';
  await until(() => stage.query(2, stored), ([row]) => Number(row.kept) === ACCEPTS * CONTACTS, { withinMs: 60_000 }); // prettier-ignore
  return {
    figure: `${median(waits).toFixed(0)} ms, of all ${Math.max(...waits).toFixed(0)} ms`,
    ok: median(waits) <= LIMIT_MS,
    text: `${waits.map((wait) => wait.toFixed(0)).join(', ')} ms; at rest ${median(rests).toFixed(0)} ms; accepted in ${median(times).toFixed(0)} ms`,
  };
}
