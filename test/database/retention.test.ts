import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { firstIdAt } from '../../src/kernel/ids.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { ChatContacts } from '../../src/modules/providers/chat-inbox.store.js';
import { firstEventIdAt } from '../../src/modules/webhooks/events.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { jsonRows, partitionsOf } from '../../src/platform/database/index.js';
import { Retention } from '../../src/platform/periodic/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { cutDays, daysAgo, storeOldCampaign } from '../support/old-days.js';

const KEPT_DAYS = 30;
const OF_CAMPAIGNS = [
  'campaign_recipients',
  'recipient_terms',
  'recipient_variables',
  'campaign_counters',
  'provider_messages',
  'voice_calls',
  'unknown_outcomes',
];
const [LONG_AGO, OLD, LATELY] = [daysAgo(60), daysAgo(40), daysAgo(10)];
/** A day of which tries may still wait. */
const TRIED = daysAgo(7);

/** What is no longer kept (reference/running#retention). */
describe('RETENTION_DAYS', () => {
  let database: TestDatabase;

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(async () => {
    database = await createTestDatabase();
    await cutDays(database.dataSource, [LONG_AGO, OLD, LATELY]);
  });
  afterEach(() => database.drop());

  const keep = (days: number): Retention => new Retention(database.dataSource, ALL_TABLES, { RETENTION_DAYS: days });
  const store = (acceptedOn: Date, overOn: Date | null, sentOn = acceptedOn): Promise<number> =>
    storeOldCampaign(database.dataSource, { acceptedOn, overOn, sentOn });
  const idsIn = async (table: string, column = 'campaign_id'): Promise<number[]> => {
    const rows = await database.dataSource.query<{ id: number }[]>(
      `SELECT DISTINCT ${column} AS id FROM ${table} ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  };
  const expectLeft = async (ids: number[]): Promise<void> => {
    expect(await idsIn('campaigns', 'id')).toEqual(ids);
    for (const table of OF_CAMPAIGNS) expect(await idsIn(table), table).toEqual(ids);
  };
  const daysOf = async (table: string): Promise<(Date | null)[]> =>
    (await partitionsOf(database.dataSource, table)).map(({ day }) => day);

  it('of 0 keeps everything', async () => {
    const id = await store(LONG_AGO, LONG_AGO);
    await keep(0).removeOver();
    await expectLeft([id]);
  });

  it('takes a day at once, with all of its campaigns, when each of them was over long enough ago', async () => {
    await store(LONG_AGO, LONG_AGO);
    await store(OLD, OLD);
    const young = await store(LATELY, LATELY);
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([young]);
    for (const table of ['campaign_recipients', 'provider_messages', 'voice_calls']) {
      expect(await daysOf(table), table).toEqual([LATELY, daysAgo(0), null]);
    }
  });

  it('takes the days of every other table when one cannot be changed', async () => {
    await store(OLD, OLD);
    const rules = ALL_TABLES.map((rule) =>
      rule.table === 'campaign_recipients' ? { ...rule, of: { root: 'nowhere', column: 'campaign_id' } } : rule,
    );
    const retention = new Retention(database.dataSource, rules, { RETENTION_DAYS: KEPT_DAYS });
    await expect(retention.removeOver()).rejects.toThrow('nowhere');
    expect(await daysOf('campaign_recipients')).toContainEqual(OLD);
    expect(await daysOf('provider_messages')).not.toContainEqual(OLD);
  });

  it.each([
    ['is not over', null],
    ['was over only lately', daysAgo(5)],
  ])('leaves an old campaign that %s, and takes what stands around it', async (_which, overOn) => {
    await store(OLD, OLD);
    const straggler = await store(OLD, overOn);
    await store(OLD, OLD);
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([straggler]);
    expect(await daysOf('campaign_recipients')).toContainEqual(OLD);

    await database.dataSource.query('UPDATE campaigns SET completed_at = ?, open_lanes = 0', [OLD]);
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([]);
    expect(await daysOf('campaign_recipients')).not.toContainEqual(OLD);
  });

  describe('with more campaigns of a day that stay than are found at a time', () => {
    const MANY = 1_100;
    const NUMBERS = "JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j";
    const numbers = jsonRows(Array.from({ length: MANY }, (_, index) => index + 1));
    const TABLES = ['campaign_recipients', 'campaign_counters'];
    /** Campaigns of one recipient that nobody ends. */
    const storeMany = async (acceptedOn: Date): Promise<void> => {
      const { dataSource } = database;
      const first = firstIdAt(acceptedOn) + 100_000;
      await dataSource.query(
        `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
           unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, created_at)
         SELECT ? + j.seq, 1, CONCAT('paused-', j.seq), 'sms', 'paused', 'Old', 'main', 1, '{}', 'gsm_credits', 1, 1, 1, 1, 0, ?
         FROM ${NUMBERS}`,
        [first, acceptedOn, numbers],
      );
      await dataSource.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         SELECT ? + j.seq, 1, '919999999999', 0, 0, ? FROM ${NUMBERS}`,
        [first, acceptedOn, numbers],
      );
      await dataSource.query(
        `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
         SELECT ? + j.seq, 0, 0, 1, 1 FROM ${NUMBERS}`,
        [first, numbers],
      );
    };

    it('takes what stands around them, and every later day', async () => {
      await storeMany(LONG_AGO);
      await store(LONG_AGO, LONG_AGO);
      await store(OLD, OLD);
      await keep(KEPT_DAYS).removeOver();
      for (const table of TABLES) {
        expect(await idsIn(table), table).toHaveLength(MANY);
        expect(await daysOf(table), table).toEqual([LONG_AGO, LATELY, daysAgo(0), null]);
      }
    });

    it('leaves that day for a week, in which it may be over as a whole, and takes others', async () => {
      await store(LONG_AGO, LONG_AGO);
      await storeMany(OLD);
      const over = await store(OLD, OLD);
      const left = async (days: number): Promise<[boolean, (Date | null)[]]> => {
        await keep(days).removeOver();
        return [(await idsIn('campaign_recipients')).includes(over), await daysOf('campaign_recipients')];
      };
      expect(await left(34)).toEqual([true, [OLD, LATELY, daysAgo(0), null]]);
      expect(await left(KEPT_DAYS)).toEqual([false, [OLD, LATELY, daysAgo(0), null]]);
    });
  });

  it('leaves a campaign whose failed recipients are being sent again', async () => {
    const id = await store(OLD, OLD);
    await database.dataSource.query('INSERT INTO campaign_retries (campaign_id) VALUES (?)', [id]);
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([id]);
  });

  it('leaves a retry as long as the campaign whose recipients it took', async () => {
    const { dataSource } = database;
    const paused = await storeOldCampaign(dataSource, { acceptedOn: OLD, overOn: null, requestId: 'paused' });
    const retry = await storeOldCampaign(dataSource, { acceptedOn: OLD, overOn: OLD, retryOf: 'paused' });
    await storeOldCampaign(dataSource, { acceptedOn: OLD, overOn: OLD, retryOf: 'long gone' });
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([paused, retry]);
    await dataSource.query('UPDATE campaigns SET completed_at = ?, open_lanes = 0', [OLD]);
    for (let looks = 0; looks < 2; looks++) await keep(KEPT_DAYS).removeOver();
    await expectLeft([]);
  });

  it('keeps the messages of a campaign that was scheduled for later by the day on which they left', async () => {
    const scheduled = await store(LONG_AGO, LATELY, LATELY);
    await store(LONG_AGO, LONG_AGO, OLD);
    await keep(KEPT_DAYS).removeOver();
    await expectLeft([scheduled]);
    expect(await daysOf('provider_messages')).toEqual([LATELY, daysAgo(0), null]);
    expect(await daysOf('campaign_recipients')).toEqual([LONG_AGO, LATELY, daysAgo(0), null]);
  });

  it('may be looked at by two workers at the same moment', async () => {
    await store(LONG_AGO, LONG_AGO);
    await store(OLD, OLD);
    await Promise.all([keep(KEPT_DAYS).removeOver(), keep(KEPT_DAYS).removeOver()]);
    await expectLeft([]);
  });

  it('ends between two steps when the process stops', async () => {
    const id = await store(OLD, OLD);
    await keep(KEPT_DAYS).removeOver(() => true);
    await expectLeft([id]);
  });

  it('takes settled session messages, and none that is open or was until lately', async () => {
    const session = (serial: number, status: RecipientStatus, updatedAt: Date): Promise<unknown> =>
      database.dataSource.query(
        `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, created_at, updated_at)
         VALUES (?, 1, 1, '919999999999', '{}', ?, ?, ?)`,
        [firstIdAt(OLD) + serial, status, OLD, updatedAt],
      );
    await session(1, RecipientStatus.Delivered, OLD);
    await session(2, RecipientStatus.Failed, OLD);
    await session(3, RecipientStatus.Pending, OLD);
    await session(4, RecipientStatus.Unknown, OLD);
    await session(5, RecipientStatus.Read, LATELY);
    await keep(KEPT_DAYS).removeAged();
    expect(await idsIn('session_messages', 'id')).toEqual([3, 4, 5].map((serial) => firstIdAt(OLD) + serial));
  });

  it('takes what contacts wrote, and windows a day after they have closed', async () => {
    const { dataSource } = database;
    for (const [serial, at] of [OLD, LATELY].entries()) {
      await dataSource.query(
        `INSERT INTO chat_inbound_messages (route_id, account_id, message_id, contact, type, message, sent_at, received_at)
         VALUES (1, 1, ?, '919999999999', 'text', '{}', ?, ?)`,
        [`in-${serial}`, at, at],
      );
      await dataSource.query('INSERT INTO chat_contacts VALUES (1, ?, ?, ?)', [`user-${serial}`, '919999999999', at]);
    }
    await dataSource.query('INSERT INTO chat_windows VALUES (1, ?, ?), (1, ?, ?)', [
      'closed',
      daysAgo(2),
      'open',
      daysAgo(-1),
    ]);
    await keep(KEPT_DAYS).removeAged();
    expect(await idsIn('chat_inbound_messages', 'message_id')).toEqual(['in-1']);
    expect(await idsIn('chat_contacts', 'user_id')).toEqual(['user-1']);
    expect(await idsIn('chat_windows', 'contact')).toEqual(['open']);
  });

  it('leaves the user id of a contact who is still heard of', async () => {
    const { dataSource } = database;
    const contacts = new ChatContacts();
    const pair = { userId: 'DE.1', number: '4915100000001' };
    const learn = () => dataSource.transaction((tx) => contacts.learn(tx, 1, [pair]));
    expect(await learn()).toEqual([pair]);
    await dataSource.query('UPDATE chat_contacts SET updated_at = ?', [OLD]);
    expect(await learn()).toEqual([]); // known already
    await keep(KEPT_DAYS).removeAged();
    expect(await idsIn('chat_contacts', 'user_id')).toEqual([pair.userId]);
  });

  it.each([
    ['30 days, whatever is kept of campaigns', 0, [LATELY, TRIED, daysAgo(1)]],
    ['fewer with fewer', 9, [TRIED, daysAgo(1)]],
    ['no fewer than their tries take', 1, [TRIED, daysAgo(1)]],
  ])('keeps events to customers and their tries for %s', async (_which, days, left) => {
    const { dataSource } = database;
    await cutDays(dataSource, [TRIED]);
    for (const at of [LONG_AGO, OLD, LATELY, TRIED, daysAgo(1)]) {
      const eventId = `${firstEventIdAt(at)}00`;
      await dataSource.query(
        `INSERT INTO webhook_events (id, account_id, type, body, created_at) VALUES (?, 1, 'x', '{}', ?)`,
        [eventId, at],
      );
      await dataSource.query(
        `INSERT INTO webhook_attempts (endpoint_id, id, event_id, type, attempt, answer, duration_ms, created_at)
         VALUES (1, ?, ?, 'x', 1, '', 1, ?)`,
        [firstIdAt(at), eventId, at],
      );
    }
    await keep(days).removeOver();
    for (const table of ['webhook_events', 'webhook_attempts']) {
      const rows = await dataSource.query<{ created_at: Date }[]>(`SELECT created_at FROM ${table} ORDER BY id`);
      expect(
        rows.map(({ created_at: at }) => at),
        table,
      ).toEqual(left);
    }
  });
});
