import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  JsonLoad,
  afterSpace,
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  endOfText,
  endOfValue,
  isThere,
  NONE,
  OPEN,
  OPEN_LIST,
  QUOTE,
  quoteAfter,
  type Units,
  unitsOf,
} from './json-text.js';
import { JsonRecords } from './json-records.js';
import { isObject } from './json-values.js';

// Shorter texts are parsed faster than scanned.
const LONG = 64 * 1024;
// Characters scanned between two yields to other requests.
const CHARACTERS_AT_ONCE = 512 * 1024;

/** Counts the values of a long JSON text before it is parsed, yielding to other requests. Throws TooMuchJson. */
export async function countJson(units: Units, most?: number): Promise<void> {
  if (units.length >= LONG) await refuseMuch(new JsonLoad(most), units, 0, units.length);
}

/** `JSON.parse`, but the list `field` of a long text becomes `JsonRecords`, keeping `most` items. Throws TooMuchJson. */
export async function parseWithRecords(text: string, field: string, most: number, bytes?: Buffer): Promise<unknown> {
  if (text.length < LONG) return JSON.parse(text);
  const units = unitsOf(text, bytes);
  const found = await findRecords(text, units, field, most);
  if (!found) {
    // Unusual forms are left to the parser.
    await countJson(units);
    return JSON.parse(text);
  }
  const { records, from, end } = found;
  await refuseMuch(records.load, units, 0, from);
  await refuseMuch(records.load, units, end, units.length);
  const rest: unknown = JSON.parse(`${text.slice(0, from)}[]${text.slice(end)}`);
  if (!isObject(rest)) throw new Error('the object around a list was lost');
  rest[field] = records;
  return rest;
}

async function refuseMuch(load: JsonLoad, units: Units, from: number, end: number): Promise<void> {
  for (let at = from; at < end;) {
    const stop = Math.min(end, at + CHARACTERS_AT_ONCE);
    at = load.addParsed(units, at, stop);
    if (at < end) await yieldToOthers();
  }
}

interface Found {
  records: JsonRecords;
  from: number;
  end: number;
}

async function findRecords(text: string, units: Units, field: string, most: number): Promise<Found | null> {
  let found: Found | null = null;
  let at = afterSpace(units, 0);
  if (units[at] !== OPEN) return null;
  do {
    at = afterSpace(units, at + 1);
    if (units[at] !== QUOTE) return null;
    const close = quoteAfter(units, at + 1) + 1;
    const isField = isName(field, text, units, at, close);
    at = afterSpace(units, close);
    if (units[at] !== COLON) return null;
    at = afterSpace(units, at + 1);
    if (isField) {
      if (found || units[at] !== OPEN_LIST) return null;
      found = await recordsAt(text, units, at, most);
      if (!found) return null;
      at = found.end;
    } else at = endOfValue(units, at);
    if (at === NONE) return null;
    at = afterSpace(units, at);
  } while (units[at] === COMMA);
  return units[at] === CLOSE ? found : null;
}

const isName = (name: string, text: string, units: Units, from: number, end: number): boolean =>
  endOfText(units, from) === end ? isThere(name, units, from + 1, end - 1) : JSON.parse(text.slice(from, end)) === name;

async function recordsAt(text: string, units: Units, from: number, most: number): Promise<Found | null> {
  const records = new JsonRecords(text, units, most);
  let turnAt = from + CHARACTERS_AT_ONCE;
  let at = afterSpace(units, from + 1);
  if (units[at] === CLOSE_LIST) return { records: records.ended(), from, end: at + 1 };
  for (;;) {
    const end = records.add(at);
    if (end === NONE) return null;
    at = afterSpace(units, end);
    const next = units[at];
    if (next === CLOSE_LIST) return { records: records.ended(), from, end: at + 1 };
    if (next !== COMMA) return null;
    at = afterSpace(units, at + 1);
    if (at < turnAt) continue;
    await yieldToOthers();
    turnAt = at + CHARACTERS_AT_ONCE;
  }
}
