import { JsonRecords } from '../../kernel/json-records.js';

/** Lists and objects one within the other, the body itself counted (reference/requests#bodies). */
const DEEPEST = 32;

/**
 * Whether parsed JSON has more than 32 levels. Code that walks a body (validation, digests, JSON.stringify) does so by
 * calling itself, and would run out of stack on one that is deep enough.
 */
export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (!isInner(value)) return false;
  if (levels === 0) return true;
  if (value instanceof JsonRecords) return value.deepest >= levels;
  // no call for a text or a number, and no list of an object's values: a body has hundreds of thousands of them
  if (Array.isArray(value)) {
    for (let place = 0; place < value.length; place++) {
      const item: unknown = value[place];
      if (isInner(item) && isTooDeep(item, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const field: unknown = (value as Record<string, unknown>)[key];
    if (isInner(field) && isTooDeep(field, levels - 1)) return true;
  }
  return false;
}

const isInner = (value: unknown): value is object => typeof value === 'object' && value !== null;
