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
  [/[Jj]udg/, 'validate, check, decide or price'],
  [/\b\w*LOOK(?:S|ED)?(?:_\w+)?\b/, 'poll, read or check'],
  [/_TURNS?\b|\bOF_TURN\b|\b(?:in|read|on|crowded)Turn\b|\bturns?Of\b/, 'route job, LaneSnapshot'],
  [
    /\b(?:FEW_WINDOWS|windowSize|WindowPart|standsAside|hasPlace|\w+_PLACE|noteSingles)\b|stands? aside/,
    'batch, permit, yield',
  ],
  [/\b[Ss]taging(?:Of)?\b|\bstagedId\b|\bcommitStaged\b/, 'LargeDraft, writtenId'],
  [/\brestMs\b|\brest(?:Of|Until)\b|\batRest\b|'rest'/, 'backoff, idle'],
  [/\b(?:is|has)Home\b/, 'slot owner'],
  [/\b(?:\w+Rings?|RINGS|\w+_RINGS)\b(?<!Ringing)/, 'notification'],
  [/notes? of submits|\bNoteSlot\b|\bisNoted\b/i, 'submit log'],
  [/\b(?:settle|is)Upstream\b|\bupstreamsFirst\b/, 'carrier or provider'],
];
/** Words of the code itself, which tests may use for what they act out. */
const RETIRED_IN_SOURCES: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:look|tell|heard|note|ring|turn|stage)\(/, 'poll, publish, receive, record, notify, run'],
  [/\blook(?:At|Once|Through)\w*\(/, 'poll, check'],
  [/\b(?:in vain|inVain)\b/, 'failed, not in time'],
  [/\b(?:fate|heed|noted|aside)\b/i, 'outcome, recorded, yield'],
  [/\b(?:a|the|its|each|this|next|another|of) turns?\b/i, 'route job, delivery run, tick'],
  [/\bthe upstream\b|\bupstreams\b/i, 'carrier or provider'],
  [/setImmediate as (?!yieldToOthers)/, 'setImmediate as yieldToOthers'],
];
/** Riddles: a program, an account and a recipient are called by their noun. */
const PRONOUNS = /\b(?:he|she|his|him|whoever|nobody|somebody|anybody)\b/i;
const here = 'test/architecture/words.test.ts';
/** Hebrew. */
const LANGUAGE = /'he'|\bhe hi\b/;

const lines = [...sourceFiles('src'), ...sourceFiles('test')]
  .filter(({ path }) => path !== here && !path.includes('/migrations/'))
  .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, line })));

const sources = lines.filter(({ at }) => at.startsWith('src/') && !at.includes('.spec.ts:'));

const matching = (found: typeof lines, pattern: RegExp): string[] =>
  found.filter(({ line }) => pattern.test(line)).map(({ at, line }) => `${at}: ${line.trim()}`);

describe('words', () => {
  it.each(RETIRED)('%s has another word now: %s', (pattern) => {
    expect(matching(lines, pattern)).toEqual([]);
  });

  it.each(RETIRED_IN_SOURCES)('%s has another word in the sources: %s', (pattern) => {
    expect(matching(sources, pattern)).toEqual([]);
  });

  it('of the sources are nouns, not pronouns', () => {
    const prose = lines.filter(({ at, line }) => at.startsWith('src/') && !LANGUAGE.test(line));
    expect(matching(prose, PRONOUNS)).toEqual([]);
  });

  it('stand in the glossary once, one line each', () => {
    const rows: string[] =
      readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').match(/^\| (?!word|-)[^|]+(?= \|)/gm) ?? [];
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBeLessThanOrEqual(60);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });
});
