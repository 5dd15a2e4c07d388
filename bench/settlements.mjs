import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../test/stage/client.mjs';
import { forgetPeak, megabytes, processorSeconds, size } from '../test/stage/figures.mjs';
import { storeReport } from './report.mjs';
import { verdict } from './results.mjs';
import { dispatchOnce, onStage, sendSms } from './stage.mjs';
import { addRoute } from '../test/stage/carrier.mjs';

const RECIPIENTS = size('SETTLED', 1_000_000);
const DISPATCHED = size('DISPATCHED', 200_000);
const SETTLED_MS = 8_000;

/** Processor seconds and memory that one large settlement costs a worker. */
export const benchSettlements = onStage(async (set, say) => {
  const { admin, client } = await set.signInAt(await set.start('api'));
  await addRoute(admin, await set.carrier());
  const worker = await set.start('worker');
  const settled = async (id) => {
    const [[{ count }]] = await set.pool.query('SELECT COUNT(*) AS count FROM settlements WHERE campaign_id = ?', [id]);
    return Number(count);
  };
  // dispatch first: its processor time is what settling is measured by
  const before = processorSeconds(worker.pid);
  await dispatchOnce(set.pool, DISPATCHED, () => sendSms(client, DISPATCHED));
  const dispatching = (processorSeconds(worker.pid) - before) / DISPATCHED;
  await sleep(SETTLED_MS);
  const idle = processorSeconds(worker.pid);
  await sleep(SETTLED_MS);
  const idleShare = (processorSeconds(worker.pid) - idle) / (SETTLED_MS / 1_000);
  const { id, requestId } = await storeReport(set.pool, RECIPIENTS, { ledger: true });
  const atRest = megabytes(worker.pid);
  forgetPeak(worker.pid);
  const start = { cpu: processorSeconds(worker.pid), at: performance.now() };
  await set.pool.query('UPDATE campaigns SET settlement_due = 1 WHERE id = ?', [id]);
  await until(() => settled(id), (count) => count === 1, { everyMs: 200, withinMs: 300_000 }); // prettier-ignore
  const seconds = (performance.now() - start.at) / 1_000;
  const cpu = processorSeconds(worker.pid) - start.cpu - idleShare * seconds;
  const grown = megabytes(worker.pid, 'VmHWM') - atRest;
  say(`${requestId}: ${cpu.toFixed(1)} s of processor time in ${seconds.toFixed(1)} s, ${grown.toFixed(0)} MB more`);
  const share = (100 * cpu) / RECIPIENTS / dispatching;
  return [
    verdict(`settlement of ${RECIPIENTS}, seconds of a worker`, (cpu * 1_000_000) / RECIPIENTS, 'at most 15'),
    verdict('memory of the worker above rest, MB', grown, 'at most 60'),
    verdict('settling over dispatch, per cent of processor time', share, 'none yet'),
  ];
});
