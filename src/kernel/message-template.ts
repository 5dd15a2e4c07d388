import { type FieldTest, isObject } from './json-values.js';
import { codePoints, isBlank, isHeld, isVisible } from './text.js';

export const MOST_PLACEHOLDERS = 50;
export const LONGEST_VARIABLE_NAME = 64;
export const LONGEST_VARIABLE = 1_000;

const NAME = /^[\p{L}\p{M}\p{N}_-]{1,64}$/u;

// Cache of valid names: one body repeats the same names 100,000 times.
const KNOWN_NAMES = new Set<string>();
const MOST_KNOWN = 1_000;

/** Whether a text is a valid placeholder name: letters of any script, digits, `_` and `-`; case counts. */
export function isVariableName(name: string): boolean {
  if (KNOWN_NAMES.has(name)) return true;
  const isName = NAME.test(name);
  if (isName && KNOWN_NAMES.size < MOST_KNOWN) KNOWN_NAMES.add(name);
  return isName;
}

export type Variables = Readonly<Record<string, string>>;

/** `at` = position of the invalid placeholder in characters, from 1. */
export type TemplateTextFault = { fault: 'placeholder'; at: number } | { fault: 'tooMany' };

interface Slot {
  name: string;
  /** default; null = a value is required */
  fallback: string | null;
}

const OPEN = '{{';
const CLOSE = '}}';

/**
 * A text with placeholders, parsed once and rendered for many recipients (reference/bulk#placeholders): `{{name}}` needs a
 * value, `{{name|there}}` has a default, `\{{` is a literal `{{`. Values are never parsed; a blank value counts as missing.
 */
export class MessageTemplate {
  readonly names: readonly string[];
  /** names without a default in at least one placeholder */
  readonly required: readonly string[];
  readonly around: string;

  private constructor(
    /** the text between the slots: one more than slots */
    private readonly literals: readonly string[],
    private readonly slots: readonly Slot[],
  ) {
    this.around = literals.join('');
    this.names = [...new Set(slots.map(({ name }) => name))];
    const bare = new Set(slots.filter(({ fallback }) => fallback === null).map(({ name }) => name));
    this.required = this.names.filter((name) => bare.has(name));
  }

  get size(): number {
    return this.slots.length;
  }

  static parse(text: string): { template: MessageTemplate } | TemplateTextFault {
    const literals: string[] = [];
    const slots: Slot[] = [];
    let literal = '';
    let from = 0;
    for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, from)) {
      const backslashes = backslashesBefore(text, open, from);
      literal += text.slice(from, open - backslashes) + '\\'.repeat(backslashes >> 1);
      if (backslashes % 2 === 1) {
        literal += OPEN;
        from = open + OPEN.length;
        continue;
      }
      const close = text.indexOf(CLOSE, open + OPEN.length);
      const slot = close < 0 ? null : slotOf(text.slice(open + OPEN.length, close));
      if (!slot) return { fault: 'placeholder', at: open + 1 };
      if (slots.length === MOST_PLACEHOLDERS) return { fault: 'tooMany' };
      literals.push(literal);
      slots.push(slot);
      literal = '';
      from = close + CLOSE.length;
    }
    literals.push(literal + text.slice(from));
    return { template: new MessageTemplate(literals, slots) };
  }

  /** The text for one recipient; a placeholder without value and default becomes empty. */
  render(variables: Variables = {}): string {
    const values = this.values(variables);
    let text = this.literals[0] as string;
    for (let index = 0; index < values.length; index++) text += `${values[index]}${this.literals[index + 1]}`;
    return text;
  }

  /** The value of each placeholder for one recipient. */
  values(variables: Variables = {}): readonly string[] {
    const values = new Array<string>(this.slots.length);
    for (let index = 0; index < this.slots.length; index++) {
      const { name, fallback } = this.slots[index] as Slot;
      values[index] = valueOf(variables, name) ?? fallback ?? '';
    }
    return values;
  }

  /** Names of required placeholders without a value. */
  missing(variables: Variables = {}): readonly string[] {
    for (const name of this.required) {
      if (valueOf(variables, name) === null)
        return this.required.filter((required) => valueOf(variables, required) === null);
    }
    return NOTHING;
  }
}

const NOTHING: readonly string[] = [];

// Inherited properties of an object are not texts, so they count as missing.
function valueOf(variables: Variables, name: string): string | null {
  const value: unknown = variables[name];
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

function backslashesBefore(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && text[start - 1] === '\\') start -= 1;
  return end - start;
}

function slotOf(inside: string): Slot | null {
  const bar = inside.indexOf('|');
  const name = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const fallback = bar < 0 ? null : inside.slice(bar + 1).trim();
  return isVariableName(name) && !fallback?.includes(OPEN) ? { name, fallback } : null;
}

export const MOST_VARIABLES = 50;

export const VARIABLE_REASONS = {
  noObject: 'variables must be an object',
  tooMany: `at most ${MOST_VARIABLES} variables are allowed`,
  name: `a variable's name has letters, digits, _ and -, at most ${LONGEST_VARIABLE_NAME}`,
  noText: (name: string) => `${name} must be a text, a number, true or false`,
  tooLong: (name: string) => `${name} is longer than ${LONGEST_VARIABLE} characters`,
} as const;

/** Reads the variables of one recipient: texts, numbers, true and false as texts; blank values are dropped. */
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
  // Usually all values are texts: reusing the object saves 100,000 copies.
  if (isAsGiven) return { variables: value as Variables };
  const variables = names.flatMap((name): [string, string][] => {
    const text = variableText(value[name]) ?? '';
    return isBlank(text) ? [] : [[name, text]];
  });
  return { variables: variables.length > 0 ? Object.fromEntries(variables) : undefined };
}

/** Accepts the variables that `readVariables` accepts. */
export const TAKEN: FieldTest = {
  text: (name, length, first) => length <= LONGEST_VARIABLE && isVisible(first) && isVariableName(name),
  value: (name, value) => {
    const text = variableText(value);
    return text !== null && text.length <= LONGEST_VARIABLE && !isBlank(text) && isVariableName(name);
  },
};

// null = no valid value. JSON rounds large numbers: the recipient would get another code or account number.
function variableText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return isHeld(value) ? String(value) : null;
  return typeof value === 'boolean' ? String(value) : null;
}
