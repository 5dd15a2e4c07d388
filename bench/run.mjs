/**
 * `npm run bench`: every ratio in one run, our way and the bare way in turn, medians. Machines are shared and noisy, so only
 * the ratios count. `npm run bench -- accept chat-dispatch` chooses, `--on-mysql` takes MySQL instead of MariaDB. It ends with 1
 * when a goal is missed. Servers as for `npm test`: DATABASE_URL and REDIS_URL when set, else private ones.
 */
import { join } from 'node:path';
import { ensureBuilt } from '../scripts/lib/build.mjs';
import { dataDirectory, testEnvironment } from '../scripts/lib/environment.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { Lifetime } from '../scripts/lib/lifetime.mjs';
import { print } from '../scripts/lib/progress.mjs';
import { ensureServers } from '../scripts/lib/servers.mjs';
import { ensureMysql } from '../scripts/lib/test-mysql.mjs';
import { benchAccept } from './accept.mjs';
import { benchBeside } from './beside.mjs';
import { benchChatDispatch, benchDispatch, benchNotes, benchVoice } from './dispatch.mjs';
import { benchFront } from './front.mjs';
import { benchGrowth } from './growth.mjs';
import { benchGuard } from './guard.mjs';
import { benchHot } from './hot.mjs';
import { benchFailover, benchKills } from './kills.mjs';
import { benchPath } from './path.mjs';
import { benchPersonalised } from './personalised.mjs';
import { benchMemory, benchReport } from './report.mjs';
import { isMissed } from './results.mjs';
import { benchSettlements } from './settlements.mjs';
import { benchFlush, benchSettling } from './settling.mjs';
import { benchSingles, benchTrips } from './singles.mjs';
import { benchIdle, benchStart } from './start.mjs';
import { closeStages } from './stage.mjs';
import { benchUploads } from './uploads.mjs';
import { benchWeb } from './web.mjs';
import { benchWebhooks } from './webhooks.mjs';

const BENCHES = {
  accept: benchAccept,
  hot: benchHot,
  guard: benchGuard,
  dispatch: benchDispatch,
  notes: benchNotes,
  'chat-dispatch': benchChatDispatch,
  'voice-dispatch': benchVoice,
  webhooks: benchWebhooks,
  report: benchReport,
  memory: benchMemory,
  uploads: benchUploads,
  path: benchPath,
  personalised: benchPersonalised,
  singles: benchSingles,
  trips: benchTrips,
  beside: benchBeside,
  settling: benchSettling,
  settlements: benchSettlements,
  flush: benchFlush,
  kills: benchKills,
  failover: benchFailover,
  idle: benchIdle,
  growth: benchGrowth,
  front: benchFront,
  start: benchStart,
  web: benchWeb,
};
const ON_MYSQL = '--on-mysql';
const chosen = process.argv.slice(2).filter((name) => name !== ON_MYSQL);
const onMysql = process.argv.includes(ON_MYSQL);
const unknown = chosen.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  print(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
const lifetime = new Lifetime();

try {
  await ensureInstalled();
  await ensureBuilt();
  const own = testEnvironment();
  const directory = join(dataDirectory(own), 'bench');
  const onStarted = (stop) => lifetime.onEnd(stop);
  const options = { measured: true, durable: true };
  const database = onMysql ? await ensureMysql(own, directory, onStarted, options) : {};
  if ('reason' in database) throw new Error(database.reason);
  const servers = await ensureServers({ ...own, ...database }, directory, onStarted, options);
  const environment = { ...servers, DATA_DIR: directory };
  lifetime.onEnd(closeStages);
  const lines = [];
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    print(`\n${name}`);
    lines.push(...(await bench(environment, (line) => print(`  ${line}`))));
  }
  print('\nResults');
  for (const line of lines) print(`  ${line}`);
  const missed = lines.filter(isMissed).length;
  if (missed > 0) print(`\nGoals missed: ${missed}`);
  await lifetime.end(missed > 0 ? 1 : 0);
} catch (error) {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await lifetime.end(1);
}
