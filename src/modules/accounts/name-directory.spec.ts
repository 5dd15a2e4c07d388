import type { DataSource } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import type { Environment } from '../../platform/config/index.js';
import type { LeaderGate } from '../../platform/periodic/index.js';
import type { CellDirectory } from '../cell-directory/index.js';
import { NameClaimSweeper } from './name-directory.js';

const PART = 500;

/** A sweeper that finds so many notes; those that it has removed are gone. */
function sweeperOf(notes: number) {
  const state = { notes };
  const found = (): object[] =>
    Array.from({ length: Math.min(PART, state.notes) }, (_, claim) => ({ claim, kind: 'username', value: 'vain' }));
  const query = vi.fn((sql: string): Promise<unknown> => {
    if (sql.startsWith('SELECT claim')) return Promise.resolve(found());
    if (sql.includes('DELETE FROM')) state.notes -= 1;
    return Promise.resolve({ affectedRows: 1 });
  });
  const adopt = vi.fn(() => Promise.resolve(false));
  const sweeper = new NameClaimSweeper(
    { query } as unknown as DataSource,
    { adopt } as unknown as CellDirectory,
    {} as LeaderGate,
    { CELL: 'a' } as Environment,
  );
  return { sweeper, state, adopt };
}

describe('the sweeper of claims', () => {
  it('goes on while there are more than it takes at once', async () => {
    const { sweeper, state } = sweeperOf(2 * PART + 3);
    sweeper.onApplicationBootstrap();
    expect(await sweeper.sweep()).toBe(2 * PART + 3);
    expect(state.notes).toBe(0);
    await sweeper.beforeApplicationShutdown();
  });

  it('ends with what it has in hand when the process stops', async () => {
    const { sweeper, state, adopt } = sweeperOf(3 * PART);
    sweeper.onApplicationBootstrap();
    adopt.mockImplementation(async () => {
      if (state.notes === 2 * PART) await sweeper.beforeApplicationShutdown();
      return false;
    });
    expect(await sweeper.sweep()).toBe(2 * PART);
    expect(state.notes).toBe(PART);
  });
});
