import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockTime } from '../../src/kernel/clock.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { connectChat } from '../support/chat-service.js';
import { Client } from '../support/client.js';
import { commonService, type Service, until } from '../support/processes.js';
import { carrierLedger } from '../support/sandbox.js';

const TO = '4915100000111';
const MESSAGES = 200;
/** Far enough to store them all before their moment, which the test then brings about. */
const AHEAD_MS = 3_600_000;
const CUT_FOR_MS = 4_000;
const CUT_EVERY_MS = 60;

/** Scheduled session messages leave once each, whatever happens to the database at their moment. */
describe('scheduled session messages', () => {
  let service: Service;
  let client: Client;
  let killer: DataSource;

  beforeAll(async () => {
    service = await commonService(2);
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await connectChat(service, admin, 'demo', 1_000);
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
    const inbound = { phone_number_id: '106540352242922', from: TO, text: 'Hello' };
    const written = await fetch(`${service.sandboxUrl}/chat/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(inbound),
    });
    expect(written.status).toBe(200);
    killer = await new DataSource(dataSourceOptions(service.database.url, 1)).initialize();
  });
  afterAll(() => killer.destroy());

  /** Cuts every connection of the service but ours. */
  const cutAll = async (): Promise<number> => {
    const rows: { id: number }[] = await killer.query(
      'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
    );
    // One that has ended by itself meanwhile is no fault.
    await Promise.all(rows.map(({ id }) => killer.query(`KILL ${id}`).catch(() => null)));
    return rows.length;
  };

  /** How often the provider took each text. */
  const taken = async (prefix: string): Promise<Map<string, number>> => {
    const counts = new Map<string, number>();
    for (const { text } of await carrierLedger(service)) {
      if (text.startsWith(prefix)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts;
  };

  const open = async (): Promise<number> => {
    const rows: { waiting: string }[] = await killer.query(
      'SELECT COUNT(*) AS waiting FROM session_messages WHERE status NOT IN (?)',
      [[RecipientStatus.Delivered, RecipientStatus.Failed]],
    );
    return Number(rows[0]?.waiting);
  };

  it('are neither lost nor doubled when all connections are cut at their moment', async () => {
    const moment = new Date(Math.ceil((Date.now() + AHEAD_MS) / 1_000) * 1_000);
    const schedule_time = clockTime(moment, 'UTC');
    for (let from = 0; from < MESSAGES; from += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          client.call('POST', '/v5/api/session.php', {
            contacts: TO,
            broadcast_message: `cut ${from + index}`,
            schedule_time,
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
    await killer.query('UPDATE session_messages SET due_at = UTC_TIMESTAMP(3) WHERE due_at IS NOT NULL');
    const calmAt = Date.now() + CUT_FOR_MS;
    let cuts = 0;
    while (Date.now() < calmAt || cuts <= 20) {
      cuts += await cutAll();
      await sleep(CUT_EVERY_MS);
    }
    expect(cuts).toBeGreaterThan(20);
    await until('every message to be delivered', async () => (await open()) === 0, 120_000);
    const counts = await taken('cut ');
    expect(counts.size).toBe(MESSAGES);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
    const list = await client.call<{ total: number }>(
      'GET',
      '/v6/api/session-messages?scheduled=true&status=DELIVERED',
    );
    expect(list.body.total).toBe(MESSAGES);
  });
});
