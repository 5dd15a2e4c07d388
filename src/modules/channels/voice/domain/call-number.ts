import { digitsOf } from '../../../../kernel/contacts.js';
import { readText } from '../../../../kernel/text.js';

const SHORTEST = 10;
const LONGEST = 16;

export const CALL_NUMBER_TEXTS = {
  required: 'is required',
  digits: `must be ${SHORTEST} to ${LONGEST} digits`,
  notAllowed: 'is not allowed',
} as const;

export interface NumberRules {
  /** prefixes of allowed forwarding numbers (`VOICE_ALLOWED_PREFIXES`); empty or `*` = any */
  allowedPrefixes: readonly string[];
}

/** True for a voice contact, caller id or forwarding number: 10 to 16 digits (reference/voice#voicesend). */
const isCallNumber = (digits: string): boolean => digits.length >= SHORTEST && digits.length <= LONGEST;

/** A JSON number beyond 2^53 has lost digits and would reach another person. */
const isWhole = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value);

/** Reads a number without its symbols. @returns its digits, or a fault to show after its path */
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

/** Contacts of a voice campaign (reference/requests#contacts): digits in order, without duplicates and invalid contacts. */
export function voiceReceivers(contacts: readonly unknown[]): string[] {
  const receivers = new Set<string>();
  for (const contact of contacts) {
    const digits = voiceReceiver(contact);
    if (digits !== null) receivers.add(digits);
  }
  return [...receivers];
}

export function voiceReceiver(contact: unknown): string | null {
  if (typeof contact !== 'string' && !Number.isSafeInteger(contact)) return null;
  const digits = digitsOf(String(contact));
  return isCallNumber(digits) ? digits : null;
}
