import { refusedDigits } from './exact-numbers.js';
import { cutCodePoints } from './text.js';

const SHOWN = 64;

/** What a client gave where a number was due, for a list of bad rows: of a long one the start, of a number too large for JSON its digits. */
export function shownValue(value: unknown): string {
  const digits = refusedDigits(value);
  if (digits !== null) return cutCodePoints(digits, SHOWN);
  if (Array.isArray(value)) return '[array]';
  return typeof value === 'object' && value !== null ? '[object]' : cutCodePoints(String(value), SHOWN);
}
