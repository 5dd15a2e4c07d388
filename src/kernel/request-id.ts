import { randomInt } from 'node:crypto';
import { compactDate } from './clock.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * `<prefix>_YYYYMMDD_<suffix>` of reference/engine#request-ids; the suffix comes from a CSPRNG, uniqueness from the
 * unique key.
 */
export function newRequestId(prefix: string, suffixLength: 6 | 8, at: Date, zone: string): string {
  let suffix = '';
  for (let i = 0; i < suffixLength; i++) suffix += ALPHABET.charAt(randomInt(ALPHABET.length));
  return `${prefix}_${compactDate(at, zone)}_${suffix}`;
}
