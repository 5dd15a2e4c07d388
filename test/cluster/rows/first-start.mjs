import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/lib/environment.mjs';
import { prepare } from '../../stage/app.mjs';
import { until } from '../../stage/client.mjs';

/** Migrations after which the first one is killed: in the middle of them. */
const KILLED_AFTER = 20;

export const name = 'first-start';
export const shown =
  'an empty database prepared by one process that is killed in the middle of it, then by three at once, each on another node';
export const goal = 'each migration and the first administrator once, nobody fails';
export const needs = ['galera'];
export const isBare = true;

/** Prepares the database on a node until it gets SIGKILL. */
async function beginAndDie(stage, node) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...stage.environment,
    DATABASE_URL: stage.nodeUrls[node],
  };
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/apps/api/prepare.js')], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  const done = async () => {
    if (child.exitCode !== null) throw new Error('it was through before it was killed');
    return stage.query(node, 'SELECT COUNT(*) AS done FROM migrations').then(
      ([row]) => Number(row.done),
      () => 0, // there is no such table yet
    );
  };
  await until(done, (count) => count >= KILLED_AFTER, { everyMs: 20 });
  child.kill('SIGKILL');
  await exit;
}

export async function run(stage) {
  await beginAndDie(stage, 0);
  const began = Date.now();
  const prepared = await Promise.allSettled(
    stage.nodeUrls.map((url) => prepare({ ...stage.environment, DATABASE_URL: url })),
  );
  const seconds = (Date.now() - began) / 1_000;
  const failed = prepared.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message]));
  for (const message of failed) stage.say(message);
  const migrations = await stage.query(1, 'SELECT name, COUNT(*) AS times FROM migrations GROUP BY name');
  const twice = migrations.filter(({ times }) => Number(times) !== 1).length;
  const [{ admins }] = await stage.query(2, "SELECT COUNT(*) AS admins FROM accounts WHERE user_type = 'super'");
  return {
    figure: `${migrations.length} migrations, ${twice} twice, ${admins} administrator, ${failed.length} failed`,
    ok: failed.length === 0 && twice === 0 && migrations.length > KILLED_AFTER && Number(admins) === 1,
    text: `all through ${seconds.toFixed(1)} s after the kill`,
  };
}
