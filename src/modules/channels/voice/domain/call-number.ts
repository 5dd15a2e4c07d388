import { digitsOf } from '../../../../kernel/contacts.js';
import { readText } from '../../../../kernel/text.js';

const SHORTEST = 10;
const LONGEST = 16;

/** What a number is refused for, to stand behind its path. */
export const CALL_NUMBER_TEXTS = {
  required: 'is required',
  digits: `must be ${SHORTEST} to ${LONGEST} digits`,
  notAllowed: 'is not allowed',
} as const;

/** Where calls may be forwarded to. */
export interface NumberRules {
  /** a forwarding number begins with one of these (`VOICE_ALLOWED_PREFIXES`); empty, or `*` = any */
  allowedPrefixes: readonly string[];
}

/**
 * True for what a voice contact, a caller id and a forwarding number have: 10 to 16 digits (reference/voice#voicesend).
 */
export const isCallNumber = (digits: string): boolean => digits.length >= SHORTEST && digits.length <= LONGEST;

/** A JSON number beyond 2^53 has lost its last digits on the way: it would reach another person. */
const isWhole = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value);

/**
 * A number that the caller of the API wrote, symbols removed.
 * @returns its digits, or what is wrong with it, to stand behind its path
 */
export function readCallNumber(
  value: unknown,
  { allowedPrefixes }: NumberRules = { allowedPrefixes: [] },
): { digits: string } | { fault: string } {
  const read = readText(value);
  if (read.kind === 'empty') return { fault: CALL_NUMBER_TEXTS.required };
  const digits = read.kind === 'text' && isWhole(value) ? digitsOf(read.value) : '';
  if (!isCallNumber(digits)) return { fault: CALL_NUMBER_TEXTS.digits };
  const allowed =
    allowedPrefixes.length === 0 || allowedPrefixes.some((prefix) => prefix === '*' || digits.startsWith(prefix));
  return allowed ? { digits } : { fault: CALL_NUMBER_TEXTS.notAllowed };
}

/**
 * Contacts of a voice campaign (reference/requests#contacts): symbols removed, 10 to 16 digits, duplicates removed, the
 * rest left out.
 * @returns in the order of their first appearance
 */
export function voiceReceivers(contacts: readonly unknown[]): string[] {
  const receivers = new Set<string>();
  for (const contact of contacts) {
    const digits = voiceReceiver(contact);
    if (digits !== null) receivers.add(digits);
  }
  return [...receivers];
}

/** One contact; null when it is dropped. */
export function voiceReceiver(contact: unknown): string | null {
  if (typeof contact !== 'string' && !Number.isSafeInteger(contact)) return null;
  const digits = digitsOf(String(contact));
  return isCallNumber(digits) ? digits : null;
}
