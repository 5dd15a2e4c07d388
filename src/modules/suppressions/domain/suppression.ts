import { isUserId } from '../../../kernel/chat-user-id.js';
import { cleanContact, isWrittenNumber } from '../../../kernel/phone-number.js';

/** How a number came on the list: `stop` = its owner wrote a stop word. */
export const SUPPRESSION_SOURCES = ['api', 'import', 'stop'] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

/** A number that an account may not write to, on any channel. */
export interface Suppression {
  /** digits with country code, or the user id of a chat contact that shows no number */
  number: string;
  source: SuppressionSource;
  createdAt: Date;
}

export const FEWEST_DIGITS = 8;
export const MOST_DIGITS = 30;

/** One number of 8 to 30 digits, cleaned of signs and spaces, or a user id; null for anything else. */
export function readSuppressedNumber(value: unknown): string | null {
  if (typeof value === 'string' && isUserId(value.trim())) return value.trim();
  if (typeof value === 'string' && !isWrittenNumber(value)) return null;
  return cleanContact(value, FEWEST_DIGITS, MOST_DIGITS);
}

/** Why a list is refused. */
export type NumbersFault = 'required' | 'digits';

/** A request's numbers as a client wrote them: `number`, or a list `numbers`. */
export type RawNumbers = Partial<Record<'number' | 'numbers', unknown>>;

/** All numbers of a request, each once; one at fault spoils the whole list. */
export function readNumbers({ number, numbers }: RawNumbers): { numbers: string[] } | { fault: NumbersFault } {
  const given: unknown[] = Array.isArray(numbers) ? numbers : isEmpty(numbers) ? [] : [numbers];
  const entries = isEmpty(number) ? given : [...given, number];
  if (entries.length === 0) return { fault: 'required' };
  const read = new Set<string>();
  for (const entry of entries) {
    const cleaned = readSuppressedNumber(entry);
    if (cleaned === null) return { fault: 'digits' };
    read.add(cleaned);
  }
  return { numbers: [...read] };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** What an inbound text asks for (reference/suppressions#stop-words): the whole text, in any case. */
export type ConsentWord = 'stop' | 'start';

const WORDS: ReadonlyMap<string, ConsentWord> = new Map([
  ['STOP', 'stop'],
  ['UNSUBSCRIBE', 'stop'],
  ['START', 'start'],
]);

const LONGEST_WORD_TEXT = 100;

/** @returns null for a text that is anything but one of the words */
export const consentWord = (text: string): ConsentWord | null =>
  text.length > LONGEST_WORD_TEXT ? null : (WORDS.get(text.replaceAll('\0', '').trim().toUpperCase()) ?? null);
