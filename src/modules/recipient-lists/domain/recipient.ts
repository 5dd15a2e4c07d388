import {
  LONGEST_VARIABLE,
  readVariables as readGiven,
  VARIABLE_REASONS as REASONS_OF_SENDS,
} from '../../../kernel/message-template.js';
import { cleanContact, isWrittenNumber } from '../../../kernel/contacts.js';
import { codePoints } from '../../../kernel/text.js';

/** A stored recipient. The channel validates the number at a send, not here. */
export interface KeptRecipient {
  number: string;
  /** JSON object of texts; null = not given */
  variables: string | null;
}

const FEWEST_DIGITS = 8;
const MOST_DIGITS = 30;
/** bytes of a recipient's variables as JSON */
const LARGEST_VARIABLES = 8 * 1024;

const NUMBER_REASONS = {
  missing: 'number is missing',
  signs: 'number has other characters than digits and + - ( ) . / and spaces',
  length: `number must be between ${FEWEST_DIGITS} and ${MOST_DIGITS} digits`,
} as const;

/** Reads a number as people write it. @param value a text, or a JSON number that has kept all its digits */
export function readNumber(value: unknown): { number: string } | { reason: string } {
  if (value === undefined || value === null || value === '') return { reason: NUMBER_REASONS.missing };
  if (typeof value !== 'number' && (typeof value !== 'string' || !isWrittenNumber(value))) {
    const isBlank = typeof value === 'string' && value.trim() === '';
    return { reason: isBlank ? NUMBER_REASONS.missing : NUMBER_REASONS.signs };
  }
  const number = cleanContact(value, FEWEST_DIGITS, MOST_DIGITS);
  return number === null ? { reason: NUMBER_REASONS.length } : { number };
}

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
