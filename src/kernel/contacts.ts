import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { fieldErrors, MOST_ROW_FAULTS, type RowFault } from './errors.js';
import { shownValue } from './json-values.js';
import { personKey, type ReadNumber, refusedNumber } from './phone-numbers.js';

const ONLY_DIGITS = /^[0-9]+$/;

/** Removes everything but digits (broadcast contacts, reference/requests#contacts). */
export const digitsOf = (value: string): string => (ONLY_DIGITS.test(value) ? value : value.replace(/[^0-9]/g, ''));

/** Digits of one broadcast contact; null unless there are `min` to `max` of them. */
export function cleanContact(entry: unknown, min: number, max: number): string | null {
  // JSON rounds numbers from 2^53 on: the message would reach another person.
  if (typeof entry !== 'string' && !Number.isSafeInteger(entry)) return null;
  const digits = digitsOf(String(entry));
  return digits.length < min || digits.length > max ? null : digits;
}

/** Digits of broadcast contacts, order and duplicates kept; null if one is invalid. A plain loop: 30,000 take a few ms. */
export function cleanContacts(entries: readonly unknown[], min: number, max: number): string[] | null {
  const cleaned = new Array<string>(entries.length);
  for (let i = 0; i < entries.length; i++) {
    const digits = cleanContact(entries[i], min, max);
    if (digits === null) return null;
    cleaned[i] = digits;
  }
  return cleaned;
}

const SHOWN_START = 8;

/** The first invalid contact and a hint that quotes only the start of the entry. */
export function contactFault(entries: readonly unknown[], min: number, max: number): { index: number; hint: string } {
  const index = entries.findIndex((entry) => cleanContact(entry, min, max) === null);
  const entry = entries[index];
  if (typeof entry !== 'string' && !Number.isSafeInteger(entry)) {
    const kind = typeof entry === 'number' ? 'a number that JSON has rounded' : 'no text';
    return { index, hint: `contacts[${index}] is ${kind}: write numbers as texts.` };
  }
  const text = String(entry);
  const start = text.length > SHOWN_START ? `${text.slice(0, SHOWN_START)}…` : text;
  const count = digitsOf(text).length;
  return { index, hint: `contacts[${index}] (${JSON.stringify(start)}) has ${count} digits, not ${min} to ${max}.` };
}

export type RecipientFault = 'invalid' | 'length';

export const RECIPIENT_TEXTS: Readonly<Record<RecipientFault, string>> = {
  invalid: 'Recipient phone number is invalid',
  length: 'Recipient phone number must be between 8 and 20 digits',
};

const RECIPIENT_DIGITS = { min: 8, max: 20 };

/** A recipient of the chat endpoints without `+`, spaces and dashes: 8 to 20 digits (reference/requests#contacts). */
export function readRecipient(value: unknown): { digits: string } | { fault: RecipientFault } {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return { fault: 'invalid' };
  const text = String(value);
  const digits = ONLY_DIGITS.test(text) ? text : text.replace(/[+\s-]/g, '');
  if (!ONLY_DIGITS.test(digits)) return { fault: 'invalid' };
  const fits = digits.length >= RECIPIENT_DIGITS.min && digits.length <= RECIPIENT_DIGITS.max;
  return fits ? { digits } : { fault: 'length' };
}

// Country letters, then letters and digits; `ENT` marks an id that several businesses share.
const USER_ID = /^[A-Za-z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Whether a text is a business-scoped user id such as `US.13491208655302741918` (reference/requests#user-ids). */
export const isUserId = (text: string): boolean => USER_ID.test(text);

export const MOST_CONTACTS = 500_000;

export const tooManyContacts = fieldErrors.tooMany.shown('contacts', MOST_CONTACTS).with({
  hint: 'A larger send costs what its parts do: quote them one by one.',
});

export interface SortedContacts {
  /** numbers that would be charged, in their order */
  charged: string[];
  invalid: RowFault[];
  refused: number;
  /** the first hundred repeated numbers, each once */
  duplicates: string[];
  duplicatesCount: number;
}

const CONTACTS_AT_ONCE = 5_000;

/** Sorts contacts in one loop (30,000 in a few milliseconds), yielding to other requests. `readContact` validates a number. */
export async function sortContacts(
  contacts: readonly unknown[],
  readContact: ReadNumber,
  duplicates: 'charged' | 'removed',
): Promise<SortedContacts> {
  // by person; what a send removes, it removes by number
  const seen = new Map<string, string>();
  const again = new Map<string, string>();
  const invalid: RowFault[] = [];
  const valid: string[] = [];
  for (let index = 0; index < contacts.length; index++) {
    if (index % CONTACTS_AT_ONCE === CONTACTS_AT_ONCE - 1) await yieldToOthers();
    const entry = contacts[index];
    const number = readContact(entry);
    if ('refused' in number) {
      if (invalid.length < MOST_ROW_FAULTS)
        invalid.push({ row: index + 1, value: shownValue(entry), ...refusedNumber(number.refused) });
      continue;
    }
    const { digits } = number;
    valid.push(digits);
    const key = duplicates === 'removed' ? digits : personKey(digits);
    if (!seen.has(key)) seen.set(key, digits);
    else if (again.size < MOST_ROW_FAULTS) again.set(key, digits);
  }
  const refused = contacts.length - valid.length;
  return {
    charged: duplicates === 'removed' ? [...seen.values()] : valid,
    invalid,
    refused,
    duplicates: [...again.values()],
    duplicatesCount: valid.length - seen.size,
  };
}

/** Names of the number's column, lower case, letters and digits only. */
const NUMBER_NAMES: ReadonlySet<string> = new Set([
  'to',
  'phone',
  'phonenumber',
  'phoneno',
  'mobile',
  'mobilenumber',
  'mobileno',
  'number',
  'msisdn',
  'contact',
  'contactnumber',
  'contactno',
  'receiver',
  'recipient',
  'tel',
  'telephone',
  'telephonenumber',
  'cell',
  'cellphone',
]);

/** Whether a cell of a header is a usual name of the number's column, in any case and with any signs between the words. */
export const isNumberName = (cell: string): boolean =>
  NUMBER_NAMES.has(cell.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, ''));

/** The plural too, where one column counts at the most. */
export const isNumbersName = (cell: string): boolean => isNumberName(cell.replace(/s\W*$/i, ''));

/** Outcome of a message in the sandbox and under a test key. */
export type MessageOutcome = 'delivered' | 'undeliverable' | 'silent' | 'throttled once' | 'error once' | 'refused';

/** Outcome of a call there. */
export type CallOutcome = 'answered' | 'no-answer' | 'busy' | 'failed' | 'silent' | 'throttled once' | 'error once';

interface Outcomes {
  message: MessageOutcome;
  call: CallOutcome;
}

const USUAL: Outcomes = { message: 'delivered', call: 'answered' };

/** By the recipient's last three digits, after telephone signalling codes: the only such table (reference/providers#sandbox). */
const OUTCOMES: Readonly<Record<string, Outcomes>> = {
  '404': { message: 'undeliverable', call: 'failed' },
  '408': { message: 'silent', call: 'silent' },
  '429': { message: 'throttled once', call: 'throttled once' },
  '480': { message: 'delivered', call: 'no-answer' },
  '486': { message: 'delivered', call: 'busy' },
  '500': { message: 'error once', call: 'error once' },
  '603': { message: 'refused', call: 'failed' },
};

const outcomesOf = (to: string): Outcomes => OUTCOMES[to.slice(-3)] ?? USUAL;

export const messageOutcomeOf = (to: string): MessageOutcome => outcomesOf(to).message;

export const callOutcomeOf = (to: string): CallOutcome => outcomesOf(to).call;

/** The signalling code of a call that was not answered; null = answered. */
export function sipCodeOf(to: string, end: 'completed' | CallOutcome): number | null {
  if (end === 'busy') return 486;
  if (end === 'no-answer') return 480;
  if (end !== 'failed') return null;
  return to.endsWith('603') ? 603 : 404;
}
