import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './house.js';

/**
 * Words that stood for something the field has a name for, and the word that stands there now (docs/glossary.md). The
 * legacy fields of the API and the names of tables keep theirs, and so do migrations, which are history.
 */
const RETIRED: readonly [pattern: RegExp, instead: string][] = [
  [/desk/i, 'staff, self-service, or fixture in tests'],
  [
    /\bRounds?\b|\bTurns\b|SharedTurns|ShortMemory|RelayBell|\bbell\b/,
    'PeriodicTask, Semaphore, TtlCache, RelayNotifier',
  ],
  [/\b(?:areHeard|Interest|[Ss]ift)\b/, 'subscriptions, applySuppressions'],
  [/[Jj]ournal/, 'attempt log, event outbox'],
  [/[Pp]arked(?!_)/, 'unmatched receipts'],
  [/[Rr]emembered ?[Cc]redentials/, 'verified credentials'],
  [/\bChannelOffers?\b|\b\w+Offer\b/, 'a part of Channel'],
];
/** Riddles: a program, an account and a recipient are called by their noun. */
const PRONOUNS = /\b(?:he|she|his|him|whoever|nobody|somebody|anybody)\b/i;
const here = 'test/architecture/words.test.ts';
/** Hebrew. */
const LANGUAGE = /'he'|\bhe hi\b/;

const lines = [...sourceFiles('src'), ...sourceFiles('test')]
  .filter(({ path }) => path !== here && !path.includes('/migrations/'))
  .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, line })));

const matching = (found: typeof lines, pattern: RegExp): string[] =>
  found.filter(({ line }) => pattern.test(line)).map(({ at, line }) => `${at}: ${line.trim()}`);

describe('words', () => {
  it.each(RETIRED)('%s has another word now: %s', (pattern) => {
    expect(matching(lines, pattern)).toEqual([]);
  });

  it('of the sources are nouns, not pronouns', () => {
    const sources = lines.filter(({ at, line }) => at.startsWith('src/') && !LANGUAGE.test(line));
    expect(matching(sources, PRONOUNS)).toEqual([]);
  });

  it('stand in the glossary once, one line each', () => {
    const rows: string[] =
      readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').match(/^\| (?!word|-)[^|]+(?= \|)/gm) ?? [];
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBeLessThanOrEqual(60);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });
});
