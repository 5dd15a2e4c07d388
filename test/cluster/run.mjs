/**
 * `npm run test:cluster`: what is promised on engines of several machines, shown on this one: three nodes of Galera behind
 * HAProxy, a Redis Cluster, a Redis with sentinels. Debian packages, loopback, directories of its own; as root it installs what
 * is missing. `-- --list` names the rows, `--only a,b` chooses, `--keep-document` leaves docs/operate/cluster.md as it is;
 * `--mysql` runs the rows of any cluster (`needs: ['cluster']`) on MySQL's own, Group Replication, in place of Galera.
 *
 * A row is a file in `rows/` that exports
 * `{ name, shown, goal, needs, environment?, isBare?, run(stage) → { figure, ok, text? } }`: what is shown, which figure is
 * wanted, what it stands on (`servers/needs.mjs`), variables of all its processes, whether its database stays empty; run gets a
 * stage (`stage.mjs`).
 */
import { mkdtempSync, chmodSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../scripts/lib/build.mjs';
import { ensureInstalled } from '../../scripts/lib/install.mjs';
import { Lifetime } from '../../scripts/lib/lifetime.mjs';
import { complain, print, say, seconds } from '../../scripts/lib/progress.mjs';

const options = {
  only: { type: 'string', multiple: true, default: [] },
  list: { type: 'boolean', default: false },
  mysql: { type: 'boolean', default: false },
  'keep-document': { type: 'boolean', default: false },
};

/** All rows, in the order of their names. */
async function loadRows() {
  const files = readdirSync(join(import.meta.dirname, 'rows')).filter((file) => file.endsWith('.mjs'));
  const rows = [];
  for (const file of files.sort()) {
    const row = await import(`./rows/${file}`);
    if (`${row.name}.mjs` !== file) throw new Error(`rows/${file} exports the name ${row.name}`);
    rows.push(row);
  }
  return rows;
}

function choose(rows, only) {
  const names = only.flatMap((list) => list.split(',')).filter(Boolean);
  const unknown = names.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) {
    print(`There is no row ${unknown.join(', ')}; there are ${rows.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name));
}

/** Runs a row on a stage of its own. A row that fails is a row that is not met. */
async function check(row, needs, servers, openStage, lifetime) {
  const began = Date.now();
  say(`${row.name}: ${row.shown}`);
  let result;
  const taken = await servers.take(needs, `switchboard_${row.name.replaceAll('-', '_')}`);
  try {
    const stage = await openStage(row, taken, (line) => say(`  ${line}`));
    // what a row started ends with the run, also in the middle of it
    let closing = null;
    const close = () => (closing ??= stage.close());
    lifetime.onEnd(close);
    try {
      result = await row.run(stage);
    } finally {
      await close();
    }
  } catch (error) {
    if (lifetime.isEnding) throw error;
    complain(error);
    result = { figure: 'failed', ok: false };
  }
  await taken.giveBack();
  say(
    `${row.name}: ${result.figure} (goal ${row.goal}) ${result.ok ? 'ok' : 'MISSED'} (${seconds(Date.now() - began)})`,
  );
  if (result.text) say(`  ${result.text}`);
  return result;
}

async function run(rows, chosen, kind, keepsDocument) {
  const lifetime = new Lifetime();
  try {
    await ensureInstalled();
    // what follows is of packages that may have come just now
    const [{ needsOf, Servers }, { openStage }, { writeDocument }] = await Promise.all(
      ['./servers/needs.mjs', './stage.mjs', './document.mjs'].map((file) => import(file)),
    );
    await ensureBuilt();
    const directory = mkdtempSync(join(tmpdir(), 'switchboard-cluster-'));
    chmodSync(directory, 0o755);
    lifetime.onEnd(async () => rmSync(directory, { recursive: true, force: true }));
    const servers = new Servers(directory);
    lifetime.onEnd(() => servers.keepOnly(new Set()));
    // those on the same servers follow each other
    const needs = (row) => Object.values(needsOf(row, kind));
    const key = (row) => needs(row).join();
    const order = [...chosen].sort((one, other) => key(one).localeCompare(key(other)));
    const results = new Map();
    for (const [index, row] of order.entries()) {
      await servers.keepOnly(new Set(order.slice(index).flatMap(needs)));
      results.set(row.name, await check(row, needsOf(row, kind), servers, openStage, lifetime));
    }
    print('');
    for (const { name, goal } of chosen) {
      const { figure, ok } = results.get(name);
      print(`  ${ok ? 'ok    ' : 'MISSED'} ${name}: ${figure} (goal ${goal})`);
    }
    if (!keepsDocument) await writeDocument(rows, results, kind);
    await lifetime.end([...results.values()].every(({ ok }) => ok) ? 0 : 1);
  } catch (error) {
    if (!lifetime.isEnding) complain(error);
    await lifetime.end(1);
  }
}

const { values } = parseArgs({ options });
const rows = await loadRows();
const kind = values.mysql ? 'mysql' : 'mariadb';
const isOfCluster = ({ needs }) => needs.includes('cluster');
const chosen = choose(values.mysql ? rows.filter(isOfCluster) : rows, values.only);
if (values.list) for (const { name, shown, goal } of chosen) print(`${name}: ${shown} (${goal})`);
else await run(rows, chosen, kind, values['keep-document']);
