import { describe, expect, it } from 'vitest';
import { firstIdAt, timeOfId } from '../../kernel/ids.js';
import {
  dateBound,
  type DayBound,
  type DayPartition,
  idBound,
  missingDays,
  partitionedByDay,
} from './day-partitions.js';

const TODAY = new Date('2026-11-22T00:00:00Z');
const partition = (day: string | null): DayPartition => ({ name: 'any', day: day === null ? null : new Date(day) });
const dates = (days: readonly Date[]): string[] => days.map((day) => day.toISOString().slice(0, 10));

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
  const days = (by: string, bound: DayBound): string[] => partitionedByDay(by, bound).split(/(?=PARTITION \w+ VALUES)/);

  it('has a partition up to today, and one for what comes', () => {
    const [by, today, later] = days('RANGE COLUMNS (sent_on)', dateBound);
    expect(by).toBe('PARTITION BY RANGE COLUMNS (sent_on) (');
    const name = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    expect(today).toMatch(new RegExp(`^PARTITION d${name} VALUES LESS THAN \\('[\\d-]{10}'\\), $`));
    expect(later).toBe('PARTITION later VALUES LESS THAN (MAXVALUE))');
  });

  it('has a last partition in the words of its kind', () => {
    expect(days('RANGE (id)', idBound).at(-1)).toBe('PARTITION later VALUES LESS THAN MAXVALUE)');
  });
});
