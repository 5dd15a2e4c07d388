import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listed, MOST_COUNTED, type Page, type ListPosition } from '../../src/kernel/lists.js';
import { campaignKeys } from '../../src/modules/campaigns/campaigns.store.js';
import { type KeyedList, listKeys, MOST_FILTERED } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const ROWS = 25_000;
const part = (page: Partial<Page>): Page => ({ page: 1, limit: 50, after: null, ...page });

/** Things of an owner in one of three kinds: 25,000 of owner 1, seven of owner 2; every thousandth has a name. */
describe('a list by keys', () => {
  let database: TestDatabase;
  const ofKinds = (owner: number, kinds: readonly number[], look?: string): KeyedList => ({
    table: 'things',
    index: 'ix_things',
    key: 'id',
    order: 'DESC',
    ranges: kinds.map((kind) => ({ where: 'owner = ? AND kind = ?', values: [owner, kind] })),
    ...(look !== undefined && { filter: { where: 't.name = ?', values: [look] } }),
  });
  const all = ofKinds(1, [0, 1, 2]);
  const list = (keys: KeyedList, page: Partial<Page>, most?: number): Promise<Listed<number>> =>
    listKeys<number>(database.dataSource, keys, part(page), most);
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from - index);

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    await dataSource.query(
      `CREATE TABLE things (id BIGINT NOT NULL, owner INT NOT NULL, kind INT NOT NULL, name VARCHAR(20) NULL,
         number VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         PRIMARY KEY (id), KEY ix_things (owner, kind, id), UNIQUE KEY uq_things (owner, number))`,
    );
    for (let from = 1; from <= ROWS; from += 5_000) {
      const rows = Array.from({ length: 5_000 }, (_, index) => from + index);
      await dataSource.query(
        `INSERT INTO things VALUES ${rows.map((id) => `(${id},1,${id % 3},${id % 1_000 === 0 ? "'named'" : 'NULL'},'${id}')`).join()}`,
      );
    }
    for (let id = 1; id <= 7; id++) {
      await dataSource.query(`INSERT INTO things VALUES (?, 2, ?, 'few', ?)`, [ROWS + id, id % 3, `n${id}`]);
    }
  });
  afterAll(() => database.drop());

  it('is the merge of its ranges, in order, by page and by cursor alike', async () => {
    expect(await list(all, { limit: 5 })).toEqual({
      items: range(ROWS, 5),
      total: MOST_COUNTED,
      isCapped: true,
      next: ROWS - 4,
    });
    expect((await list(all, { page: 3, limit: 5 })).items).toEqual(range(ROWS - 10, 5));
    expect((await list(all, { page: 99, limit: 5, after: ROWS - 4 })).items).toEqual(range(ROWS - 5, 5));
    expect((await list(ofKinds(1, [1]), { limit: 2 })).items).toEqual([25_000, 24_997]);
  });

  it('has a total that is no smaller than the page when rows come after they were counted', async () => {
    const { dataSource } = database;
    let counted = (): void => undefined;
    const isCounted = new Promise<void>((resolve) => (counted = resolve));
    const source = {
      query: async <T>(sql: string, values?: unknown[]): Promise<T> => {
        if (!sql.startsWith('SELECT COUNT(*)')) await isCounted;
        const rows = await dataSource.query<T>(sql, values);
        if (sql.startsWith('SELECT COUNT(*)')) {
          await dataSource.query(`INSERT INTO things VALUES (?, 3, 0, NULL, 'late')`, [ROWS + 100]);
          counted();
        }
        return rows;
      },
    };
    const listed = await listKeys<number>(source, ofKinds(3, [0]), part({}));
    await dataSource.query('DELETE FROM things WHERE owner = 3');
    expect(listed).toEqual({ items: [ROWS + 100], total: 1, isCapped: false, next: null });
  });

  it('is walked to its end, nothing twice and nothing left out', async () => {
    const found: number[] = [];
    let after: ListPosition | null = null;
    do {
      const { items, next }: Listed<number> = await list(all, { limit: 1_000, after });
      found.push(...items);
      after = next;
    } while (after !== null);
    expect(found).toEqual(range(ROWS, ROWS));
  });

  it('is counted exactly where it is short', async () => {
    expect(await list(ofKinds(2, [0, 1, 2]), { limit: 3, page: 3 })).toEqual({
      items: [ROWS + 1],
      total: 7,
      isCapped: false,
      next: null,
    });
    expect(await list(ofKinds(2, [0, 1, 2]), { limit: 7 })).toMatchObject({ total: 7, next: null });
    expect(await list(ofKinds(3, [0, 1, 2]), {})).toEqual({ items: [], total: 0, isCapped: false, next: null });
    expect(await list(ofKinds(1, []), {})).toEqual({ items: [], total: 0, isCapped: false, next: null });
  });

  it('has deep pages, is empty behind its end, and names the cursor where a page is too deep', async () => {
    expect((await list(all, { page: 481, limit: 50 })).items).toEqual(range(1_000, 50));
    expect((await list(all, { page: 500, limit: 50 })).next).toBeNull();
    expect(await list(all, { page: 501, limit: 50 })).toMatchObject({ items: [], next: null });
    expect(await list(all, { page: 1_000_000_000, limit: 1_000 })).toMatchObject({ items: [], next: null });
    await expect(list(all, { page: 481, limit: 50 }, 10_000)).rejects.toThrow('page is too deep: go on with cursor');
  });

  it('goes up by a text', async () => {
    const keys: KeyedList = {
      table: 'things',
      index: 'uq_things',
      key: 'number',
      order: 'ASC',
      ranges: [{ where: 'owner = ?', values: [2] }],
    };
    const found = await listKeys<string>(database.dataSource, keys, part({ limit: 2, after: 'n3' }));
    expect(found).toEqual({ items: ['n4', 'n5'], total: 7, isCapped: false, next: 'n5' });
  });

  it('looks at a bounded number of rows for what no index knows, and goes on behind them', async () => {
    const named = ofKinds(1, [0, 1, 2], 'named');
    const found: number[] = [];
    const ends: (ListPosition | null)[] = [];
    let after: ListPosition | null = null;
    do {
      const { items, next, total, isCapped }: Listed<number> = await list(named, { limit: 4, after });
      expect([total, isCapped]).toEqual([10, true]);
      found.push(...items);
      ends.push(next);
      after = next;
    } while (after !== null);
    expect(found).toEqual(Array.from({ length: 25 }, (_, index) => ROWS - index * 1_000));
    // a part ends where it is full, or where the rows end that were looked at
    expect(ends[0]).toBe(22_000);
    expect(await list(named, { page: 4, limit: 4 })).toMatchObject({ items: [], next: ROWS - MOST_FILTERED + 1 });
    expect(await list(ofKinds(2, [0, 1, 2], 'few'), { limit: 5 })).toMatchObject({ total: 7, isCapped: false });
    expect(await list(ofKinds(1, [0, 1, 2], 'nothing'), {})).toMatchObject({
      items: [],
      total: 0,
      isCapped: true,
      next: ROWS - MOST_FILTERED + 1,
    });
  });
});

describe('the keys of campaigns', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const time = { from: new Date('2026-05-01T00:00:00Z'), to: new Date('2026-05-31T00:00:00Z') };

  it.each([
    [{}, 'PRIMARY', 1],
    [{ accountId: 1, isTest: false }, 'ix_campaigns_account', 1],
    [{ accountId: 1, isTest: false, state: 'paused' as const }, 'ix_campaigns_account_state', 5],
    [{ accountId: 1, isTest: false, channel: 'sms' }, 'ix_campaigns_account_state', 8],
    [{ accountId: 1, isTest: false, state: 'paused' as const, channel: 'sms' }, 'ix_campaigns_account_state', 1],
    [{ state: 'paused' as const }, 'ix_campaigns_state', 5],
    [{ channel: 'sms' }, 'ix_campaigns_state', 8],
    [{ accountId: 1, isTest: false, ...time }, 'ix_campaigns_account', 3],
    [{ accountId: 1, isTest: false, from: time.from }, 'ix_campaigns_account', 2],
    [{ routeId: 1 }, 'ix_campaigns_route_state', 8],
    [{ routeId: 1, state: 'paused' as const, channel: 'sms' }, 'ix_campaigns_route_state', 1],
    [{ routeId: 1, state: 'completed' as const, ...time }, 'ix_campaigns_route_state', 3],
    [{ accountId: 1, isTest: false, routeId: 1 }, 'ix_campaigns_account', 1],
    [{ accountId: 1, isTest: false, routeId: 1, state: 'paused' as const }, 'ix_campaigns_account_state', 5],
    [{ state: 'accepted' as const, scheduledAfter: time.from }, 'ix_campaigns_state', 5],
    [{ from: time.to, to: time.to }, 'PRIMARY', 1],
  ])('of %o are read from %s alone, in %i ranges', async (filter, index, ranges) => {
    const keys = campaignKeys(filter, ['sms', 'unofficial', 'template', 'branded', 'voice']);
    expect([keys.index, keys.ranges.length]).toEqual([index, ranges]);
    for (const { where, values } of keys.ranges) {
      const plan: { key: string; Extra: string | null }[] = await database.dataSource.query(
        `EXPLAIN FORMAT=TRADITIONAL SELECT id FROM campaigns FORCE INDEX (${index}) ${where && `WHERE ${where}`} ORDER BY id DESC LIMIT 50`,
        [...values],
      );
      expect(plan).toHaveLength(1);
      expect(plan[0]?.Extra ?? '').not.toContain('filesort');
      // only the minutes around the ends of a time ask the rows themselves
      if (index !== 'PRIMARY' && !where.includes('created_at')) expect(plan[0]?.Extra).toContain('Using index');
      expect(plan[0]?.key).toBe(index);
    }
  });

  it('looks at rows only for what the index does not know', () => {
    const looked = (filter: Parameters<typeof campaignKeys>[0]): string | undefined =>
      campaignKeys(filter, ['sms']).filter?.where;
    expect(looked({ routeId: 1, state: 'running' })).toBeUndefined();
    expect(looked({ routeId: 1, channel: 'sms' })).toBe('t.channel = ?');
    expect(looked({ routeId: 1, accountId: 1 })).toBe('t.route_id = ?');
    expect(looked({ state: 'accepted', scheduledAfter: time.from })).toBe('t.scheduled_at > ?');
    expect(looked({ routeId: 1, scheduledAfter: time.from, search: 'x' })).toContain('t.scheduled_at > ? AND (LOWER(');
  });

  it('of a whole request id are read by it', () => {
    for (const search of [
      'GSMCAMP_20260501_A1B2C3',
      'gsmcamp_20260501_a1b2c3',
      '0b1c6a2e-3f7c-4b6e-9c0d-1f2e3d4c5b6a',
    ]) {
      const keys = campaignKeys({ accountId: 7, state: 'running', search }, ['sms']);
      expect([keys.index, keys.filter, keys.ranges.length]).toEqual(['uq_campaigns_request', undefined, 1]);
      expect(keys.ranges[0]?.where).toBe('request_id IN (?) AND account_id = ? AND state = ?');
    }
    for (const search of ['GSMCAMP_20260501', '_20260501_A1B2C3', 'sale']) {
      expect(campaignKeys({ search }, ['sms'])).toMatchObject({
        index: 'PRIMARY',
        filter: expect.anything() as object,
      });
    }
  });
});
