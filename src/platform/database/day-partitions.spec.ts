import { describe, expect, it } from 'vitest';
import { firstIdAt, timeOfId } from '../../kernel/ids.js';
import { dateBound, type DayPartition, idBound, missingDays, partitionByDay, startOfDay } from './day-partitions.js';

const TODAY = new Date('2026-11-22T00:00:00Z');
const partition = (day: string | null): DayPartition => ({ name: 'any', day: day === null ? null : new Date(day) });
const dates = (days: readonly Date[]): string[] => days.map((day) => day.toISOString().slice(0, 10));

/** A database with campaigns since a moment, and no partitions; notes what is changed. */
function database(first: Date | null) {
  const changes: string[] = [];
  const query = <T>(sql: string): Promise<T> => {
    if (sql.startsWith('ALTER')) changes.push(sql);
    const rows = sql.includes('MIN(id)') ? [{ id: first && firstIdAt(first) }] : [];
    return Promise.resolve(rows as T);
  };
  return { changes, query };
}

describe('days that a table lacks', () => {
  it('are those after its last one, up to so many after today', () => {
    expect(dates(missingDays([partition('2026-11-21'), partition(null)], TODAY, 2))).toEqual([
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
    ]);
  });

  it('are none when all are there', () => {
    expect(missingDays([partition('2026-11-24'), partition(null)], TODAY, 2)).toEqual([]);
  });

  it('are one until yesterday after a long absence', () => {
    expect(dates(missingDays([partition('2026-09-01'), partition(null)], TODAY, 1))).toEqual([
      '2026-11-21',
      '2026-11-22',
      '2026-11-23',
    ]);
  });
});

describe('bounds', () => {
  it('of ids divide what is made before a moment from the rest', () => {
    expect(idBound(TODAY)).toBe(String(firstIdAt(TODAY)));
    expect(timeOfId(firstIdAt(TODAY))).toEqual(TODAY);
    expect(timeOfId(firstIdAt(TODAY) - 1)).toEqual(new Date(TODAY.getTime() - 1));
  });

  it('of dates are their text', () => {
    expect(dateBound(TODAY)).toBe("'2026-11-22'");
  });
});

describe('a table that is cut', () => {
  it('has a partition a month of the past, one up to today, and one for what comes', async () => {
    const today = startOfDay(new Date());
    const twoMonthsAgo = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 2, 15));
    const db = database(twoMonthsAgo);
    await partitionByDay(db, 'rows', 'RANGE COLUMNS (sent_on)', dateBound);
    const names = [...(db.changes[0] ?? '').matchAll(/PARTITION (\w+) VALUES/g)].map(([, name]) => name);
    const monthEnd = (back: number): string =>
      `d${new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back + 1, 0)).toISOString().slice(0, 10).replaceAll('-', '')}`;
    expect(names).toEqual([
      monthEnd(2),
      monthEnd(1),
      `d${today.toISOString().slice(0, 10).replaceAll('-', '')}`,
      'later',
    ]);
    expect(db.changes[0]).toContain('LESS THAN (MAXVALUE)');
  });

  it('has two partitions where nothing is yet', async () => {
    const db = database(null);
    await partitionByDay(db, 'rows', 'RANGE (id)', idBound);
    expect(db.changes[0]?.match(/PARTITION \w+ VALUES/g)).toHaveLength(2);
    expect(db.changes[0]).toContain('LESS THAN MAXVALUE');
  });
});
