import { readText } from '../../../kernel/text.js';
import type { BusinessProfileChanges } from '../../providers/index.js';

const TEXTS = ['about', 'address', 'description', 'email', 'vertical'] as const;

/** A field that PUT may change. */
export type ProfileField = keyof BusinessProfileChanges;

/** What a body wants changed, or the first field at fault. */
export type ReadProfileChanges = { changes: BusinessProfileChanges } | { fault: ProfileField };

/**
 * Reads the fields that were supplied (reference/business-profile#routes): an absent one keeps its value, an empty one
 * (null, `''`, white space, `[]`) clears it. Numbers are taken as their text; anything else is the fault of its field
 * (reference/requests#values).
 */
export function readProfileChanges(body: Record<string, unknown>): ReadProfileChanges {
  const changes: BusinessProfileChanges = {};
  for (const field of TEXTS) {
    if (body[field] === undefined) continue;
    const text = readText(body[field]);
    if (text.kind === 'fault') return { fault: field };
    changes[field] = text.kind === 'text' ? text.value : '';
  }
  if (body['websites'] !== undefined) {
    const websites = readList(body['websites']);
    if (!websites) return { fault: 'websites' };
    changes.websites = websites;
  }
  return { changes };
}

/** The texts of a list without its empty entries; null when it is no list of texts. */
function readList(value: unknown): string[] | null {
  if (value === null) return [];
  if (!Array.isArray(value)) return null;
  const items = value.map(readText);
  if (items.some((item) => item.kind === 'fault')) return null;
  return items.flatMap((item) => (item.kind === 'text' ? [item.value] : []));
}
