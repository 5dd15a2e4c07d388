import { type FieldTest, isObject } from './json-values.js';
import { codePoints, isBlank, isHeld, isVisible } from './text.js';

/** Most placeholders of one text, each as often as it stands there. */
export const MOST_PLACEHOLDERS = 50;
/** Most characters of a placeholder's name, and of a variable's. */
export const LONGEST_VARIABLE_NAME = 64;
/** Most characters of one value. */
export const LONGEST_VARIABLE = 1_000;

const NAME = /^[\p{L}\p{M}\p{N}_-]{1,64}$/u;

/** Names that were judged before: the same ones come a hundred thousand times in a body. */
const KNOWN_NAMES = new Set<string>();
const MOST_KNOWN = 1_000;

/** Whether a placeholder can bear this name: letters of any script, digits, `_` and `-`; case counts. */
export function isVariableName(name: string): boolean {
  if (KNOWN_NAMES.has(name)) return true;
  const isName = NAME.test(name);
  if (isName && KNOWN_NAMES.size < MOST_KNOWN) KNOWN_NAMES.add(name);
  return isName;
}

/** The values of one recipient, by the names of placeholders. */
export type Variables = Readonly<Record<string, string>>;

/** Why a text is none with placeholders; `at` = the character where the placeholder begins, 1 = the first. */
export type TemplateTextFault = { fault: 'placeholder'; at: number } | { fault: 'tooMany' };

interface Slot {
  name: string;
  /** null = a value is needed */
  fallback: string | null;
}

const OPEN = '{{';
const CLOSE = '}}';

/**
 * A text with placeholders, read once and filled in for many recipients (reference/bulk#placeholders): `{{name}}` needs a
 * value, `{{name|there}}` has a default, `\{{` is a literal `{{`. Values are plain text: what they hold is never read as a
 * placeholder. A value that is empty, or white space only, is none.
 */
export class MessageTemplate {
  /** names of all placeholders, each once, in their order */
  readonly names: readonly string[];
  /** of those that have no default, at some place at least */
  readonly required: readonly string[];
  /** the text around the placeholders, all of it */
  readonly around: string;

  private constructor(
    /** the text around the placeholders: one more than there are slots */
    private readonly literals: readonly string[],
    private readonly slots: readonly Slot[],
  ) {
    this.around = literals.join('');
    this.names = [...new Set(slots.map(({ name }) => name))];
    const bare = new Set(slots.filter(({ fallback }) => fallback === null).map(({ name }) => name));
    this.required = this.names.filter((name) => bare.has(name));
  }

  /** How many placeholders stand in the text, each as often as it does. */
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

  /** The text for one recipient; what has neither value nor default is left out. */
  render(variables: Variables = {}): string {
    const values = this.values(variables);
    let text = this.literals[0] as string;
    for (let place = 0; place < values.length; place++) text += `${values[place]}${this.literals[place + 1]}`;
    return text;
  }

  /** What stands in the placeholders' places for one recipient. */
  values(variables: Variables = {}): readonly string[] {
    const values = new Array<string>(this.slots.length);
    for (let place = 0; place < this.slots.length; place++) {
      const { name, fallback } = this.slots[place] as Slot;
      values[place] = valueOf(variables, name) ?? fallback ?? '';
    }
    return values;
  }

  /** Names of the placeholders that have neither value nor default for a recipient. */
  missing(variables: Variables = {}): readonly string[] {
    for (const name of this.required) {
      if (valueOf(variables, name) === null)
        return this.required.filter((required) => valueOf(variables, required) === null);
    }
    return NOTHING;
  }
}

const NOTHING: readonly string[] = [];

/** What a recipient has for a name; null = nothing. Whatever an object inherits is no text, and so no value. */
function valueOf(variables: Variables, name: string): string | null {
  const value: unknown = variables[name];
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

function backslashesBefore(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && text[start - 1] === '\\') start -= 1;
  return end - start;
}

/** What stands between the braces; null where that is no placeholder. */
function slotOf(inside: string): Slot | null {
  const bar = inside.indexOf('|');
  const name = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const fallback = bar < 0 ? null : inside.slice(bar + 1).trim();
  return isVariableName(name) && !fallback?.includes(OPEN) ? { name, fallback } : null;
}

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
