import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from './counts.mjs';
import { benchAccount, size, stage, verdict } from './stage.mjs';

const SECONDS = size('IDLE_SECONDS', 30);
/** What a start does once, and what it looks for at first, lies behind it then. */
const SETTLED_MS = 8_000;

/** Statements a second of an API and of a worker that have nothing to do. */
export async function benchIdle(environment, say) {
  const set = await stage(environment);
  const statements = async (name, application) => {
    await sleep(SETTLED_MS);
    const { trips, commits, seconds } = await counted(set.database, () => sleep(SECONDS * 1000, 0));
    await application.stop();
    const rate = trips / seconds;
    say(`${name}: ${rate.toFixed(1)} statements a second`);
    return verdict(
      `idle ${name}, statements a second`,
      rate,
      'at most 5',
      `${(commits / seconds).toFixed(2)} durable commits a second, over ${SECONDS} s`,
    );
  };
  try {
    const api = await set.api();
    await benchAccount(api.url);
    return [await statements('API', api), await statements('worker', await set.worker())];
  } finally {
    await set.close();
  }
}
