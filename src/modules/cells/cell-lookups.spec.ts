import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { Metrics } from '../../platform/observability/index.js';
import type { Forwarder } from '../../platform/outbound/index.js';
import type { CellDirectory } from '../cell-directory/index.js';
import { CellList } from './cell-list.js';
import { CellLookups, Unknowable } from './cell-lookups.js';
import type { Holdings } from './index.js';

const BOB = { kind: 'username', value: 'bob' } as const;
const NOTHING: Holdings = { request_ids: [], api_keys: [], names: [] };

describe('what is asked of the cells', () => {
  /** what each cell says that it has; null = it is silent */
  let answers: Record<string, Holdings | null>;
  let questions: string[];
  let lookups: CellLookups;
  let now: number;

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    now = 5_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    questions = [];
    const metrics = new Metrics();
    const cells = new CellList({ CELLS: ['a', 'b'].map((cell) => ({ cell, url: cell })) }, metrics);
    const ask = (cell: string): Promise<unknown> => {
      questions.push(cell);
      return answers[cell] ? Promise.resolve({ data: answers[cell] }) : Promise.reject(new Error('silent'));
    };
    const away = { cellOf: () => Promise.reject(new Error('away')) } as Partial<CellDirectory> as CellDirectory;
    const forwarder = { ask } as Partial<Forwarder> as Forwarder;
    lookups = new CellLookups(away, cells, forwarder, { CELL_TOKEN: 'x' } as FrontEnvironment, metrics);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('of a name says nothing while the cell of its token is silent', async () => {
    answers = { a: null, b: { ...NOTHING, names: [BOB] } };
    await expect(lookups.cellOfName(BOB, 'a')).rejects.toThrow(Unknowable);
    expect(await lookups.cellOfName(BOB, 'b')).toBe('b');
    expect(await lookups.cellOfName(BOB, null)).toBe('b');
    answers['a'] = NOTHING;
    expect(await lookups.cellOfName(BOB, 'a')).toBe('b');
  });

  it('of an unknown key is asked once in a second', async () => {
    answers = { a: NOTHING, b: NOTHING };
    expect([await lookups.cellOfKey('key'), await lookups.cellOfKey('key')]).toEqual([null, null]);
    expect(questions).toEqual(['a', 'b']);
    answers['b'] = { ...NOTHING, api_keys: ['key'] };
    now += 1_001;
    expect(await lookups.cellOfKey('key')).toBe('b');
  });

  it('of a key that a silent cell may have is asked again', async () => {
    answers = { a: NOTHING, b: null };
    await expect(lookups.cellOfKey('key')).rejects.toThrow(Unknowable);
    answers['b'] = { ...NOTHING, api_keys: ['key'] };
    expect(await lookups.cellOfKey('key')).toBe('b');
  });
});
