import { type RawNumbers, readNumbers } from '../domain/suppression.js';
import { suppressionErrors } from '../suppressions.errors.js';

/** Numbers of a body, each once. @throws AppError invalid (reference/suppressions#routes-of-the-list) */
export function numbersOf(raw: RawNumbers): string[] {
  const read = readNumbers(raw);
  if ('fault' in read) throw suppressionErrors[read.fault]();
  return read.numbers;
}

/** The one number that a list is asked for; null = all. @throws AppError invalid */
export const wantedNumber = (value: unknown): string | null =>
  value === undefined || value === '' ? null : (numbersOf({ number: value })[0] ?? null);
