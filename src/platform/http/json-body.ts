/** Lists and objects one within the other, the body itself counted (reference/requests#bodies). */
const DEEPEST = 32;

/**
 * Whether parsed JSON has more than 32 levels. Code that walks a body (validation, digests, JSON.stringify) does so by
 * calling itself, and would run out of stack on one that is deep enough.
 */
export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // no list of the values of each object: a body has hundreds of thousands of them
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}
