/** Lists and objects one within the other, the body itself counted (reference/requests#bodies). */
const DEEPEST = 32;

/**
 * Whether parsed JSON has more than 32 levels. Code that walks a body (validation, digests, JSON.stringify) does so by
 * calling itself, and would run out of stack on one that is deep enough.
 */
export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some((item) => isTooDeep(item, levels - 1));
}
