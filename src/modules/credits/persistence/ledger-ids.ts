import type { ReadSource } from '../../../platform/database/index.js';

/** The first entry of an id or behind it. */
export async function entryFrom(source: ReadSource, id: number): Promise<{ id: number; createdAt: Date } | undefined> {
  const [entry] = await source.query<{ id: number; createdAt: Date }[]>(
    'SELECT id, created_at AS createdAt FROM credit_ledger WHERE id >= ? ORDER BY id LIMIT 1',
    [id],
  );
  return entry;
}

/**
 * The last entry before a moment, by halving: ids ascend with time, but for what differs between the clocks of two
 * processes, and the time has no key.
 * @param from an id below which none is looked for; it is the answer where no entry is older
 */
export async function lastEntryBefore(source: ReadSource, moment: Date, from = 0): Promise<number> {
  const [newest] = await source.query<{ id: number | null }[]>('SELECT MAX(id) AS id FROM credit_ledger');
  let [low, high] = [from, (newest?.id ?? from) + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryFrom(source, middle);
    if (entry && entry.createdAt < moment) low = entry.id;
    else high = middle;
  }
  return low;
}
