import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { takeDue } from './take-due.js';

const database = (rows: object[]) => {
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
    const { asked, dataSource } = database(rows);
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
    const { asked, dataSource } = database([
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
    const { asked, dataSource } = database([]);
    const due = { table: 'campaigns', key: ['id'], due: 'check_at', most: 500, againAfterMs: 60_000 };
    expect(await takeDue(dataSource, due)).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});
