/**
 * Settles the recipients of a campaign as a worker does, and prints the seconds. In one process, in turn: without a look at the
 * endpoints, and with it. Commands come as lines: `<request_id> heard|unheard`.
 */
import { createInterface } from 'node:readline';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { ApiModule } from '../dist/modules/src/apps/api/api.module.js';
import { Settlement } from '../dist/modules/src/modules/engine/settle/settlement.js';
import { CustomerEvents } from '../dist/modules/src/modules/customer-events/customer-events.js';
import { inTransaction } from '../dist/modules/src/platform/database/transaction.js';

/** As many as a worker writes at once. */
const BATCH = 250;
const SUBMITTED = 1;

const app = await NestFactory.createApplicationContext(ApiModule, { logger: false });
const part = (type) => app.get(type, { strict: false });
const [source, settlement, events] = [part(DataSource), part(Settlement), part(CustomerEvents)];
let isHeard = true;
Object.defineProperty(events, 'hasSubscribers', { get: () => isHeard });
console.log(JSON.stringify({ ready: true }));

for await (const line of createInterface({ input: process.stdin })) {
  const [requestId, mode] = line.split(' ');
  isHeard = mode === 'heard';
  const [{ id, total }] = await source.query('SELECT id, total_rows AS total FROM campaigns WHERE request_id = ?', [
    requestId,
  ]);
  const started = performance.now();
  for (let first = 1; first <= total; first += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, total - first + 1) }, (_, index) => ({
      campaignId: id,
      seq: first + index,
      to: SUBMITTED,
      errorCode: null,
      errorText: null,
      refund: false,
      attempted: true,
    }));
    const moved = await inTransaction(source, (tx) => settlement.settle(tx, changes));
    if (moved.length !== changes.length) throw new Error(`only ${moved.length} of ${changes.length} moved`);
  }
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
}
await app.close();
