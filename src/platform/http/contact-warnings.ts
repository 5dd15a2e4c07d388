import type { AnswerWarning } from './answer-warnings.js';

/** How a send that leaves out bad contacts reads them. */
interface ContactRule {
  /** of the request, a list of contacts */
  field: string;
  /** the number as the send takes it; null for one that it leaves out */
  read: (entry: unknown) => string | null;
  /** what a number must be, in words */
  wanted: string;
  duplicates: 'charged' | 'removed';
}

/** Hints about the contacts that such a send left out (reference/requests#warnings). */
export function contactWarnings(entries: unknown, { field, read, wanted, duplicates }: ContactRule): AnswerWarning[] {
  if (!Array.isArray(entries)) return [];
  const numbers = (entries as unknown[]).map(read);
  const valid = numbers.filter((number) => number !== null);
  const invalid = numbers.length - valid.length;
  const again = duplicates === 'removed' ? valid.length - new Set(valid).size : 0;
  const warnings: AnswerWarning[] = [];
  if (invalid > 0) {
    const first = `the first is ${field}[${numbers.indexOf(null)}]`;
    warnings.push({
      code: 'contacts_left_out',
      field,
      count: invalid,
      message: `Left out: ${invalid}, ${first}; ${wanted}`,
    });
  }
  if (again > 0) {
    warnings.push({
      code: 'contacts_repeated',
      field,
      count: again,
      message: `Left out: ${again}, which stand there before`,
    });
  }
  return warnings;
}
