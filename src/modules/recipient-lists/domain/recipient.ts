import type { RowFault } from '../../../kernel/errors.js';
import {
  LONGEST_VARIABLE,
  readVariables as readGiven,
  VARIABLE_REASONS as REASONS_OF_SENDS,
} from '../../../kernel/message-template.js';
import { type ReadNumber, refusedNumber } from '../../../kernel/phone-numbers.js';
import { codePoints } from '../../../kernel/text.js';

/** A stored recipient. The channel validates the number at a send, not here. */
export interface KeptRecipient {
  number: string;
  /** JSON object of texts; null = not given */
  variables: string | null;
}

/** bytes of a recipient's variables as JSON */
const LARGEST_VARIABLES = 8 * 1024;

export const VARIABLE_REASONS = {
  ...REASONS_OF_SENDS,
  tooLarge: `variables are larger than ${LARGEST_VARIABLES / 1024} KB`,
} as const;

/** The JSON text of a variable's value; null = too long. The check of the length avoids counting short texts. */
export const valueText = (value: string): string | null =>
  value.length > LONGEST_VARIABLE && codePoints(value) > LONGEST_VARIABLE ? null : JSON.stringify(value);

export const isTooLarge = (variables: string): boolean =>
  variables.length * 3 > LARGEST_VARIABLES && Buffer.byteLength(variables) > LARGEST_VARIABLES;

/** Reads `variables` of a request with the rules of a send. @returns the JSON text to store */
export function readVariables(value: unknown): { variables: string | null } | { reason: string } {
  if (value === undefined || value === null) return { variables: null };
  const read = readGiven(value);
  if ('reason' in read) return read;
  const variables = JSON.stringify(read.variables ?? {});
  return isTooLarge(variables) ? { reason: VARIABLE_REASONS.tooLarge } : { variables };
}

/** Reads an entry of `members`: `{ to, variables? }`. @returns the recipient, or the fault of its row */
export function readMember(entry: unknown, readNumber: ReadNumber): KeptRecipient | Omit<RowFault, 'row'> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { reason: 'not_an_object', message: 'not an object' };
  const { to, variables } = entry as { to?: unknown; variables?: unknown };
  const number = readNumber(to);
  if ('refused' in number) return refusedNumber(number.refused);
  const read = readVariables(variables);
  if ('reason' in read) return { reason: 'variables_invalid', message: read.reason };
  return { number: number.digits, ...read };
}
