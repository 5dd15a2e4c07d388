import { addRoute, startCarrier } from './carrier.mjs';
import { benchBroadcast, dispatchOnce } from './dispatch.mjs';
import { benchAccount, peakMemory, stage, verdict } from './stage.mjs';

const CONTACTS = 300_000;

/** Peak resident memory of API and worker while 300,000 contacts are accepted, dispatched and reported. */
export async function benchMemory(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment);
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    const worker = await set.worker();
    const seconds = await dispatchOnce(set.database, CONTACTS, benchBroadcast(client, CONTACTS));
    say(`300,000 dispatched at ${(CONTACTS / seconds).toFixed(0)}/s`);
    return [
      verdict('peak memory of the API, MB', peakMemory(api.pid), 'at most 400', 'accepting 300,000 contacts'),
      verdict(
        'peak memory of the worker, MB',
        peakMemory(worker.pid),
        'at most 400',
        `dispatching them at ${(CONTACTS / seconds).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await carrier.stop();
    await set.close();
  }
}
