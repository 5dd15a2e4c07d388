import { keepInexact } from './exact-numbers.js';

/** An object as JSON has it: names and values of any type. */
export type JsonObject = Record<string, unknown>;

/** True for an object, and for neither an array nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or null when the value is none. */
export const objectOrNull = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

/** The object, or one without fields when the value is none. */
export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The object that a text is as JSON, or null. Numbers that JSON would round are texts of their digits: ids of others. */
export function readJsonObject(text: string): JsonObject | null {
  try {
    return objectOrNull(JSON.parse(keepInexact(text)));
  } catch {
    return null;
  }
}

/** Objects and lists one within the other; 0 = it is neither. */
export function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.filter((each) => typeof each === 'object' && each !== null);
    if (level.length === 0) return depth;
    level = level.flatMap((each) => Object.values(each as object) as unknown[]);
  }
}
