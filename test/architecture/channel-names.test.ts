import { describe, expect, it } from 'vitest';
import { CHANNEL_NAMES, CHANNELS } from '../../src/modules/channels/index.js';
import { sourceFiles } from './house.js';

/** Written before there was a list of channels, and never changed again. */
const MIGRATIONS = 'src/platform/database/migrations/';

/** What serves every channel alike: a new one needs no line here. */
const rooms = ['src/modules/engine', 'src/modules/campaigns', 'src/platform', 'src/kernel'].flatMap(sourceFiles);

/** A text that is a channel's name, or one of its names in a text of SQL. */
const namesIn = (text: string, names: readonly string[]): string[] =>
  text.split('\n').flatMap((line) => line.match(new RegExp(`(['"\`])(${names.join('|')})\\1`, 'g')) ?? []);

describe('the names of channels', () => {
  it('are found by this test', () => {
    const text = `if (channel === 'sms') return "voice"; // voice, 'smsc'\n const sql = \`channel = 'branded'\`;`;
    expect(namesIn(text, CHANNEL_NAMES)).toEqual([`'sms'`, `"voice"`, `'branded'`]);
  });

  it('stand neither in the engine nor in the campaigns, the platform and the kernel', () => {
    const found = rooms
      .filter(({ path }) => !path.endsWith('.spec.ts') && !path.startsWith(MIGRATIONS))
      .map(({ path, text }) => ({ path, names: namesIn(text, CHANNEL_NAMES) }))
      .filter(({ names }) => names.length > 0);
    expect(found).toEqual([]);
  });

  it('are different, and fit the columns and the queues that bear them', () => {
    expect(new Set(CHANNEL_NAMES).size).toBe(CHANNELS.length);
    expect(CHANNEL_NAMES.filter((name) => !/^[a-z]{1,16}$/.test(name))).toEqual([]);
  });
});
