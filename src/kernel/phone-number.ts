const ONLY_DIGITS = /^[0-9]+$/;

/** Everything but digits removed (broadcast contacts, spec 4.2 and 4.3). */
export const digitsOf = (value: string): string => (ONLY_DIGITS.test(value) ? value : value.replace(/[^0-9]/g, ''));

/**
 * Cleans a list of broadcast contacts: non-digits stripped, each `min` to `max` digits, order and duplicates kept.
 * One plain loop: 30,000 entries in a few milliseconds.
 * @returns the cleaned numbers, or null as soon as one entry is at fault
 */
export function cleanContacts(entries: readonly unknown[], min: number, max: number): string[] | null {
  const cleaned = new Array<string>(entries.length);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    // A JSON number beyond 2^53 has lost its last digits on the way: it would reach somebody else.
    if (typeof entry !== 'string' && !Number.isSafeInteger(entry)) return null;
    const digits = digitsOf(String(entry));
    if (digits.length < min || digits.length > max) return null;
    cleaned[i] = digits;
  }
  return cleaned;
}
