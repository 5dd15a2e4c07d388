import { refuseInexact, isObject, type JsonObject, objectOrEmpty } from '../../../../kernel/json-values.js';
import { fieldErrors } from '../../../../kernel/errors.js';
import { readText } from '../../../../kernel/text.js';
import { isHttpUrl } from '../../../../kernel/urls.js';
import { type NumberRules, readCallNumber } from './call-number.js';

export const KEYS: readonly string[] = Array.from('0123456789*#');

/** Action after a clip (reference/voice#dtmf_flow). */
export const AFTER_CLIP = ['hangup', 'repeat', 'back'] as const;
type AfterClip = (typeof AFTER_CLIP)[number];

/** A row of a keypad menu (reference/voice#dtmf_flow). `source` = supplied URL of a stored clip; absent in older campaigns. */
export type MenuRow =
  /** forwards the call to the first number that answers */
  | { digit: string; action: 'transfer'; numbers: string[] }
  /** plays the prompt and waits for another key */
  | { digit: string; action: 'submenu'; prompt: string; source?: string; rows: MenuRow[] }
  | { digit: string; action: 'audio'; audio: string; source?: string; after: AfterClip }
  | { digit: string; action: 'record' }
  | { digit: string; action: 'back' };

export const ACTIONS = ['transfer', 'submenu', 'audio', 'record', 'back'] as const satisfies MenuRow['action'][];

/** All numbers to which a menu forwards calls. */
export const transferNumbers = (rows: readonly MenuRow[]): string[] =>
  rows.flatMap((row) =>
    row.action === 'transfer' ? row.numbers : row.action === 'submenu' ? transferNumbers(row.rows) : [],
  );

/** The rows of the menu at a path: `[]` = the first menu, else indices of submenus. */
export function rowsAt(rows: readonly MenuRow[], path: readonly number[]): readonly MenuRow[] {
  let current = rows;
  for (const index of path) {
    const row = current[index];
    if (row?.action !== 'submenu') return [];
    current = row.rows;
  }
  return current;
}

export const keysOf = (rows: readonly MenuRow[]): string => rows.map(({ digit }) => digit).join('');

/** The first menu has depth 1 (reference/voice#dtmf_flow). */
const DEEPEST_MENU = 5;
const MOST_ROWS = 100;
const MOST_FALLBACKS = 3;
const LONGEST_URL = 2_048;

/** A fault's text with its path: `dtmf_flow.rows[1].number is required`. */
class MenuFault extends Error {}

export const NOT_JSON = 'dtmf_flow is not valid JSON';

/** Text for a key of two rows. @param path of the second key */
export const usedTwice = (path: string): string => `${path} is used twice`;

interface Reading extends NumberRules {
  /** rows read so far, over all menus */
  rows: number;
}

/** Validates `dtmf_flow` (reference/voice#dtmf_flow), an object or JSON text. @returns null = not given; or the first fault */
export function readMenu(value: unknown, rules: NumberRules): { rows: MenuRow[] | null } | { fault: string } {
  if (readText(value).kind === 'empty') return { rows: null };
  const flow = typeof value === 'string' ? parsed(value) : value;
  if (!isObject(flow)) return { fault: NOT_JSON };
  try {
    return { rows: readRows(flow['rows'], 'dtmf_flow.rows', 1, { ...rules, rows: 0 }) };
  } catch (error) {
    if (error instanceof MenuFault) return { fault: error.message };
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(refuseInexact(text)) as unknown;
  } catch {
    return undefined;
  }
}

function readRows(value: unknown, path: string, depth: number, reading: Reading): MenuRow[] {
  if (readText(value).kind === 'empty') throw new MenuFault(fieldErrors.required.shown(path).text);
  if (!Array.isArray(value)) throw new MenuFault(fieldErrors.noArray.shown(path).text);
  const entries = value as unknown[];
  if (entries.length === 0) throw new MenuFault(fieldErrors.required.shown(path).text);
  if (depth > DEEPEST_MENU) throw new MenuFault(`${path} is too deep: at most ${DEEPEST_MENU} menus`);
  const rows: MenuRow[] = [];
  const taken = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    reading.rows += 1;
    if (reading.rows > MOST_ROWS) throw new MenuFault(`${path} has too many rows: at most ${MOST_ROWS} in all`);
    const row = readRow(entry, `${path}[${index}]`, depth, reading);
    if (taken.has(row.digit)) throw new MenuFault(usedTwice(`${path}[${index}].digit`));
    taken.add(row.digit);
    rows.push(row);
  }
  return rows;
}

function readRow(entry: unknown, path: string, depth: number, reading: Reading): MenuRow {
  if (!isObject(entry)) throw new MenuFault(`${path} must be an object`);
  const digit = required(entry['digit'], `${path}.digit`).trim();
  if (!isKey(digit)) throw new MenuFault(`${path}.digit must be one of 0-9, * and #`);
  const word = required(entry['action'], `${path}.action`).trim();
  const action = ACTIONS.find((name) => name === word);
  switch (action) {
    case 'transfer':
      return { digit, action, numbers: readNumbers(entry, path, reading) };
    case 'submenu': {
      const prompt = url(entry['prompt_audio'], `${path}.prompt_audio`);
      return { digit, action, prompt, rows: readRows(entry['rows'], `${path}.rows`, depth + 1, reading) };
    }
    case 'audio':
      return { digit, action, audio: url(entry['audio'], `${path}.audio`), after: readAfter(entry['after'], path) };
    case 'record':
      return { digit, action };
    case 'back':
      if (depth === 1) throw new MenuFault(`${path}.action back is only possible in a submenu`);
      return { digit, action };
    case undefined:
      throw new MenuFault(fieldErrors.noWord.shown(`${path}.action`, ACTIONS).text);
  }
}

export const isKey = (text: string): boolean => KEYS.includes(text);

function readNumbers(entry: JsonObject, path: string, rules: NumberRules): string[] {
  const first = readNumber(entry['number'], `${path}.number`, rules);
  const fallbacks = entry['fallback_numbers'];
  if (readText(fallbacks).kind === 'empty') return [first];
  const list = `${path}.fallback_numbers`;
  if (!Array.isArray(fallbacks)) throw new MenuFault(fieldErrors.noArray.shown(list).text);
  const entries = fallbacks as unknown[];
  if (entries.length > MOST_FALLBACKS) throw new MenuFault(`${list} must hold at most ${MOST_FALLBACKS} numbers`);
  return [first, ...entries.map((number, index) => readNumber(number, `${list}[${index}]`, rules))];
}

function readNumber(value: unknown, path: string, rules: NumberRules): string {
  const read = readCallNumber(value, rules);
  if ('digits' in read) return read.digits;
  throw new MenuFault(`${path} ${read.fault}`);
}

function readAfter(value: unknown, path: string): AfterClip {
  const read = readText(value);
  if (read.kind === 'empty') return 'hangup';
  const word = read.kind === 'text' ? read.value.trim() : '';
  const after = AFTER_CLIP.find((name) => name === word);
  if (!after) throw new MenuFault(fieldErrors.noWord.shown(`${path}.after`, AFTER_CLIP).text);
  return after;
}

function url(value: unknown, path: string): string {
  const text = required(value, path).trim();
  if (text.length > LONGEST_URL || !isHttpUrl(text)) throw new MenuFault(fieldErrors.noUrl.shown(path).text);
  return text;
}

/** A required text; a value that is neither text nor number counts as missing. */
function required(value: unknown, path: string): string {
  const read = readText(value);
  if (read.kind !== 'text') throw new MenuFault(fieldErrors.required.shown(path).text);
  return read.value;
}

export const INCOMPLETE_ITEM = 'Each callback_audio item must contain dtmf and selected_number';

/** Validates `callback_audio` (reference/voice#callback_audio). @returns rows that forward the call, or the first fault */
export function readCallbackAudio(value: unknown, rules: NumberRules): { rows: MenuRow[] } | { fault: string } {
  if (readText(value).kind === 'empty') return { rows: [] };
  if (!Array.isArray(value)) return { fault: INCOMPLETE_ITEM };
  const rows: MenuRow[] = [];
  for (const [index, item] of (value as unknown[]).entries()) {
    const row = readItem(item, `callback_audio[${index}]`, rules);
    if ('fault' in row) return row;
    if (rows.some(({ digit }) => digit === row.digit)) return { fault: usedTwice(`callback_audio[${index}].dtmf`) };
    rows.push(row);
  }
  return { rows };
}

function readItem(item: unknown, path: string, rules: NumberRules): MenuRow | { fault: string } {
  const { dtmf, selected_number: number } = objectOrEmpty(item);
  const key = readText(dtmf);
  if (key.kind !== 'text' || readText(number).kind !== 'text') return { fault: INCOMPLETE_ITEM };
  const digit = key.value.trim();
  if (!isKey(digit)) return { fault: `${path}.dtmf must be one of 0-9, * and #` };
  const read = readCallNumber(number, rules);
  if ('fault' in read) return { fault: `${path}.selected_number ${read.fault}` };
  return { digit, action: 'transfer', numbers: [read.digits] };
}

/** Request origins of the rows of a merged first menu; rows of `dtmf_flow` come first. */
export interface MenuOrigins {
  flowRows: number;
  /** indices in `callback_audio` of the other rows */
  callbackRows: readonly number[];
}

/** Merges both into one first menu; on a shared digit `dtmf_flow` wins. */
export function merged(
  flow: readonly MenuRow[],
  callbacks: readonly MenuRow[],
): { rows: MenuRow[]; origins: MenuOrigins } {
  const kept = callbacks.flatMap((row, index) =>
    flow.some(({ digit }) => digit === row.digit) ? [] : [{ row, index }],
  );
  return {
    rows: [...flow, ...kept.map(({ row }) => row)],
    origins: { flowRows: flow.length, callbackRows: kept.map(({ index }) => index) },
  };
}
