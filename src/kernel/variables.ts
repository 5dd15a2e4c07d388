import { isVariableName, LONGEST_VARIABLE, LONGEST_VARIABLE_NAME, type Variables } from './message-template.js';
import { isObject } from './objects.js';
import type { FieldTest } from './field-test.js';
import { codePoints, isBlank, isHeld, isVisible } from './text.js';

/** Most variables of one recipient. */
export const MOST_VARIABLES = 50;

/** Why variables are not taken (reference/bulk#variables). */
export const VARIABLE_REASONS = {
  noObject: 'variables must be an object',
  tooMany: `at most ${MOST_VARIABLES} variables are allowed`,
  name: `a variable's name has letters, digits, _ and -, at most ${LONGEST_VARIABLE_NAME}`,
  noText: (name: string) => `${name} must be a text, a number, true or false`,
  tooLong: (name: string) => `${name} is longer than ${LONGEST_VARIABLE} characters`,
} as const;

/**
 * Reads the variables of one recipient: texts, and numbers, true and false as their texts. A value that is empty is none.
 * @returns undefined where none were given
 */
export function readVariables(value: unknown): { variables: Variables | undefined } | { reason: string } {
  if (value === undefined || value === null) return { variables: undefined };
  if (!isObject(value)) return { reason: VARIABLE_REASONS.noObject };
  const names = Object.keys(value);
  if (names.length > MOST_VARIABLES) return { reason: VARIABLE_REASONS.tooMany };
  let isAsGiven = names.length > 0;
  for (const name of names) {
    if (!isVariableName(name)) return { reason: VARIABLE_REASONS.name };
    const given = value[name];
    if (given === null) {
      isAsGiven = false;
      continue;
    }
    const text = variableText(given);
    if (text === null) return { reason: VARIABLE_REASONS.noText(name) };
    if (text.length > LONGEST_VARIABLE && codePoints(text) > LONGEST_VARIABLE)
      return { reason: VARIABLE_REASONS.tooLong(name) };
    if (text !== given || isBlank(text)) isAsGiven = false;
  }
  // mostly texts alone: of a hundred thousand recipients an object less for each
  if (isAsGiven) return { variables: value as Variables };
  const variables = names.flatMap((name): [string, string][] => {
    const text = variableText(value[name]) ?? '';
    return isBlank(text) ? [] : [[name, text]];
  });
  return { variables: variables.length > 0 ? Object.fromEntries(variables) : undefined };
}

/** Whether a variable is one that `readVariables` takes, as the text of its value. */
export const TAKEN: FieldTest = {
  text: (name, length, first) => length <= LONGEST_VARIABLE && isVisible(first) && isVariableName(name),
  value: (name, value) => {
    const text = variableText(value);
    return text !== null && text.length <= LONGEST_VARIABLE && !isBlank(text) && isVariableName(name);
  },
};

/**
 * A value as its text; null = it is none. A whole number that JSON cannot hold has lost its last digits on the way: it would
 * tell the recipient another code, or another account.
 */
function variableText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return isHeld(value) ? String(value) : null;
  return typeof value === 'boolean' ? String(value) : null;
}
