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
        `UPDATE lanes SET lease_until = ${FROM_NOW}, wake_at = ${FROM_NOW} ` +
          'WHERE campaign_id = ? AND lane = ? AND fence = ? AND lease_until IS NOT NULL',
        [2_000_000, 2_000_000, 3, 1, 10],
      ],
    ]);
    expect(await endpoints.renew(database(0), [7], 1, 5_000)).toBe(false);
  });

  it('says of a row in any statement whether it is free', () => {
    expect([isFree(), isFree('l')]).toEqual([FREE, FREE.replaceAll('lease_until', 'l.lease_until')]);
  });
});
