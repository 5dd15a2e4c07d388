import { describe, expect, it } from 'vitest';
import { isFree, LeasedTable } from './leased-table.js';

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
