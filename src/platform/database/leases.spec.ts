import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeldLease, isFree, LeasedTable, takeDue } from './leases.js';

const LEASE_MS = 6_000;

describe('a held lease', () => {
  let answers: (boolean | Error)[];
  let asked: number[];
  let events: string[];
  let begun: number;
  let lease: HeldLease;

  beforeEach(() => {
    vi.useFakeTimers();
    [answers, asked, events] = [[], [], []];
    begun = performance.now();
    lease = new HeldLease({
      leaseMs: LEASE_MS,
      claimedAt: begun,
      renew: () => {
        asked.push(performance.now() - begun);
        const answer = answers.shift() ?? true;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      onLost: () => events.push('lost'),
      onFault: (error) => events.push((error as Error).message),
    });
  });
  afterEach(() => {
    lease.end();
    vi.useRealTimers();
  });

  it('is renewed at every third, and counts from the moment of the question, less a sixth', async () => {
    expect(lease.sendUntil - begun).toBe(5_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(asked).toEqual([2_000, 4_000]);
    expect(lease.sendUntil - begun).toBe(9_000);
    expect(lease.maySend).toBe(true);
  });

  it('ends by itself while the database cannot be asked', async () => {
    answers = [new Error('away'), new Error('away')];
    await vi.advanceTimersByTimeAsync(4_999);
    expect(lease.maySend).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(lease.maySend).toBe(false);
    expect(events).toEqual(['away', 'away']);
    await vi.advanceTimersByTimeAsync(1_000); // the database is back, and no other worker was faster
    expect(lease.maySend).toBe(true);
  });

  it('is over at once, and for good, when another worker has the row', async () => {
    answers = [false];
    await vi.advanceTimersByTimeAsync(10_000);
    expect({ asked, events, sendUntil: lease.sendUntil }).toEqual({ asked: [2_000], events: ['lost'], sendUntil: 0 });
  });

  it('is renewed no more after its end', async () => {
    lease.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect({ asked, timers: vi.getTimerCount() }).toEqual({ asked: [], timers: 0 });
  });
});

const FREE = '(lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3))';
const FROM_NOW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';

/** A database that notes what it is asked, and has so many rows that match. */
const database = (affectedRows = 1) => {
  const asked: [sql: string, values: unknown[] | undefined][] = [];
  const query = <T>(sql: string, values?: unknown[]): Promise<T> => {
    asked.push([sql, values]);
    return Promise.resolve({ affectedRows } as T);
  };
  return { asked, query };
};

describe('a leased table', () => {
  const endpoints = new LeasedTable({ table: 'endpoints', key: ['id'] });
  const lanes = new LeasedTable({ table: 'lanes', key: ['campaign_id', 'lane'], moved: ['wake_at'] });

  it('claims a free row with one conditional statement', async () => {
    const source = database();
    expect(await endpoints.claim(source, [7], 5_000, { onlyIf: "status = 'active'" })).toBe(true);
    expect(source.asked).toEqual([
      [
        `UPDATE endpoints SET fence = fence + 1, lease_until = ${FROM_NOW} WHERE id = ? AND status = 'active' AND ${FREE}`,
        [5_000_000, 7],
      ],
    ]);
  });

  it('writes what belongs to the claim, and asks for the fence that was read', async () => {
    const source = database(0);
    expect(await lanes.claim(source, [3, 1], 2_000, { fence: 9, set: { claim_id: 4, intent_seq: 500 } })).toBe(false);
    expect(source.asked).toEqual([
      [
        `UPDATE lanes SET fence = fence + 1, claim_id = ?, intent_seq = ?, lease_until = ${FROM_NOW}, wake_at = ${FROM_NOW} ` +
          `WHERE campaign_id = ? AND lane = ? AND fence = ? AND ${FREE}`,
        [4, 500, 2_000_000, 2_000_000, 3, 1, 9],
      ],
    ]);
  });

  it('renews what is held under the fence', async () => {
    const source = database();
    expect(await lanes.renew(source, [3, 1], 10, 2_000)).toBe(true);
    expect(source.asked).toEqual([
      [
        `/* again */ UPDATE lanes SET lease_until = ${FROM_NOW}, wake_at = ${FROM_NOW} ` +
          'WHERE campaign_id = ? AND lane = ? AND fence = ? AND lease_until IS NOT NULL',
        [2_000_000, 2_000_000, 3, 1, 10],
      ],
    ]);
    expect(await endpoints.renew(database(0), [7], 1, 5_000)).toBe(false);
  });

  it('claims many rows in the order of their keys, and asks which those were only when some are missing', async () => {
    const rows = [
      { key: [3, 1], fence: 9, set: { claim_id: 7, intent_seq: 500 } },
      { key: [2, 0], fence: 4, set: { claim_id: 8, intent_seq: 2 } },
    ];
    const all = database(2);
    expect(await lanes.claimAll(all, rows, 2_000, 'claim_id')).toEqual(new Set([0, 1]));
    expect(all.asked).toHaveLength(1);
    const [sql, values] = all.asked[0] ?? [];
    expect(sql).toMatch(
      /^\/\* again \*\/ UPDATE JSON_TABLE.* STRAIGHT_JOIN lanes t FORCE INDEX \(PRIMARY\) ON t\.campaign_id = j\.campaign_id/,
    );
    expect(sql).toContain(`AND t.fence = j.fence`);
    expect(values).toEqual(['[[1,4,2,0,8,2],[0,9,3,1,7,500]]', 2_000_000, 2_000_000]);

    const begun = { join: 'LEFT JOIN c ON c.id = ?', set: ['c.state = ?'], values: [[5], [6]], rows: 1 } as const;
    const alongside = database(3);
    expect(await lanes.claimAll(alongside, rows, 2_000, 'claim_id', begun)).toEqual(new Set([0, 1]));
    expect(alongside.asked).toHaveLength(1);
    expect(alongside.asked[0]?.[0]).toMatch(
      / j LEFT JOIN c ON c\.id = \? STRAIGHT_JOIN lanes t .* SET c\.state = \?, t\.fence/s,
    );
    expect(alongside.asked[0]?.[1]?.slice(1)).toEqual([5, 6, 2_000_000, 2_000_000]);

    const some = database(1);
    const asked: string[] = [];
    const query = <T>(text: string, given?: unknown[]): Promise<T> => {
      asked.push(text);
      return text.startsWith('SELECT') ? Promise.resolve([{ n: 1 }] as T) : some.query<T>(text, given);
    };
    expect(await lanes.claimAll({ query }, rows, 2_000, 'claim_id')).toEqual(new Set([1]));
    expect(asked).toHaveLength(2);
    // Nothing was written: by others, or by this claim before, whose answer was lost.
    const none = <T>(text: string): Promise<T> =>
      Promise.resolve((text.startsWith('SELECT') ? [] : { affectedRows: 0 }) as T);
    expect(await lanes.claimAll({ query: none }, rows, 2_000, 'claim_id')).toEqual(new Set());
    const before = <T>(text: string): Promise<T> =>
      Promise.resolve((text.startsWith('SELECT') ? [{ n: 0 }, { n: 1 }] : { affectedRows: 0 }) as T);
    expect(await lanes.claimAll({ query: before }, rows, 2_000, 'claim_id')).toEqual(new Set([0, 1]));
  });

  it('renews many rows, and says when one of them is lost', async () => {
    const rows = [
      { key: [3, 1], fence: 10 },
      { key: [2, 0], fence: 5 },
    ];
    expect(await lanes.renewAll(database(2), rows, 2_000)).toBe(true);
    expect(await lanes.renewAll(database(1), rows, 2_000)).toBe(false);
  });

  it('says of a row in any statement whether it is free', () => {
    expect([isFree(), isFree('l')]).toEqual([FREE, FREE.replaceAll('lease_until', 'l.lease_until')]);
  });
});

const databaseOf = (rows: object[]) => {
  const asked: [sql: string, values: unknown][] = [];
  const query = (sql: string, values: unknown): Promise<unknown> => {
    asked.push([sql.replaceAll(/\s+/g, ' '), values]);
    return Promise.resolve(rows);
  };
  const transaction = (work: (tx: unknown) => Promise<unknown>): Promise<unknown> => work({ query });
  return { asked, dataSource: { transaction } as unknown as DataSource };
};

describe('what is due', () => {
  it('is taken under locks that others pass over, and put off', async () => {
    const rows = [
      { id: 4, total_rows: 10 },
      { id: 2, total_rows: 20 },
    ];
    const { asked, dataSource } = databaseOf(rows);
    const due = {
      table: 'campaigns',
      key: ['id'],
      columns: ['total_rows'],
      due: 'check_at',
      most: 500,
      againAfterMs: 60_000,
    };
    expect(await takeDue(dataSource, due)).toEqual(rows);
    expect(asked).toEqual([
      [
        'SELECT id, total_rows FROM campaigns WHERE check_at <= UTC_TIMESTAMP(3) ORDER BY check_at LIMIT ? FOR UPDATE SKIP LOCKED',
        [500],
      ],
      [
        'UPDATE campaigns SET check_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND WHERE id IN (?)',
        [60_000_000, [4, 2]],
      ],
    ]);
  });

  it('may be of a kind, and have a key of several columns', async () => {
    const { asked, dataSource } = databaseOf([
      { campaign_id: 4, lane: 0 },
      { campaign_id: 4, lane: 1 },
    ]);
    const where = { sql: 'channel IN (?)', values: [['sms', 'voice']] };
    await takeDue(dataSource, {
      table: 'lanes',
      key: ['campaign_id', 'lane'],
      due: 'wake_at',
      where,
      most: 9,
      againAfterMs: 15_000,
    });
    expect(asked).toEqual([
      [
        'SELECT campaign_id, lane FROM lanes WHERE wake_at <= UTC_TIMESTAMP(3) AND channel IN (?) ORDER BY wake_at LIMIT ? FOR UPDATE SKIP LOCKED',
        [['sms', 'voice'], 9],
      ],
      [
        'UPDATE lanes SET wake_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND WHERE (campaign_id = ? AND lane = ?) OR (campaign_id = ? AND lane = ?)',
        [15_000_000, 4, 0, 4, 1],
      ],
    ]);
  });

  it('writes nothing when there is none', async () => {
    const { asked, dataSource } = databaseOf([]);
    const due = { table: 'campaigns', key: ['id'], due: 'check_at', most: 500, againAfterMs: 60_000 };
    expect(await takeDue(dataSource, due)).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});
