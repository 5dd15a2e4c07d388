import { objectOrEmpty } from '../../../../kernel/objects.js';
import { readText } from '../../../../kernel/text.js';
import { type NumberRules, readCallNumber } from './call-number.js';
import type { MenuRow } from './menu.js';
import { isKey, usedTwice } from './menu-reader.js';

export const INCOMPLETE_ITEM = 'Each callback_audio item must contain dtmf and selected_number';

/**
 * Reads `callback_audio` (reference/voice#callback_audio): each item forwards to its number. Never throws.
 * @returns rows of the first menu, in order; empty when none is given; or the text of the first fault
 */
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

/** Where the rows of a merged first menu stand in the request: those of `dtmf_flow` come first. */
export interface MenuOrigins {
  flowRows: number;
  /** indices in `callback_audio` of the rows after them */
  callbackRows: readonly number[];
}

/** One first menu of both; on a digit that both have, dtmf_flow wins. */
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
