import {
  MessageTemplate,
  MOST_PLACEHOLDERS,
  type TemplateTextFault,
  type Variables,
} from '../../../kernel/message-template.js';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';
import { isBlank } from '../../../kernel/text.js';

/** A component as the client sent it; the provider gets it unchanged (reference/template-messages#parameters). */
export type TemplateComponent = Readonly<Record<string, unknown>>;

export interface ApprovedParts {
  bodyParameters: number;
  /** different placeholders; 1 for a medium, 0 without a header */
  headerParameters: number;
}

/** Templates have numbered placeholders alone: the provider refuses named parameters for them. */
const isNumbered = (parameter: unknown): boolean => isObject(parameter) && isEmptyText(parameter['parameter_name']);
const isEmptyText = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Number of parameters of one kind; NaN when a list is malformed or has names, which fits no template. */
function countOf(components: readonly TemplateComponent[], type: string): number {
  let count = 0;
  for (const component of components) {
    const { type: given, parameters } = component as { type?: unknown; parameters?: unknown };
    if (typeof given !== 'string' || given.toLowerCase() !== type) continue;
    if (parameters === undefined || parameters === null) continue;
    if (!Array.isArray(parameters) || !parameters.every(isNumbered)) return Number.NaN;
    count += parameters.length;
  }
  return count;
}

/** Checks body, then header (reference/template-messages#errors); button parameters pass. @returns null = the counts match */
export function parameterFault(
  components: readonly TemplateComponent[],
  parts: ApprovedParts,
): 'bodyParameters' | 'headerParameters' | null {
  if (countOf(components, 'body') !== parts.bodyParameters) return 'bodyParameters';
  return countOf(components, 'header') === parts.headerParameters ? null : 'headerParameters';
}

/** What the provider refuses in the text of a parameter: a break, a tab, more than four blanks. */
const BREAK = /[\t\n\v\f\r\u0085\u2028\u2029]/;
const MOST_BLANKS = 4;
const REFUSED = new RegExp(`${BREAK.source}|[ \\u00a0]{${MOST_BLANKS + 1}}`);
const isRefusedText = (text: string): boolean => REFUSED.test(text) || isBlank(text);

/** Replaces each run of white space that the provider refuses by one blank. */
export const flattened = (text: string): string =>
  REFUSED.test(text)
    ? text.replace(/[\s\u0085]+/g, (run) => (BREAK.test(run) || run.length > MOST_BLANKS ? ' ' : run))
    : text;

const isText = ({ type }: JsonObject): boolean => typeof type === 'string' && type.toLowerCase() === 'text';

const listIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

const parametersOf = ({ parameters }: TemplateComponent): JsonObject[] => listIn(parameters);

/** The components, and those of the cards of a carousel. */
const withCards = (components: readonly TemplateComponent[]): TemplateComponent[] =>
  components.flatMap((component) => [
    component,
    ...listIn(component['cards']).flatMap((card) => withCards(listIn(card['components']))),
  ]);

/** Whether the provider refuses the text of a parameter: blank, with a break or tab, or with more than four blanks. */
export const hasRefusedText = (components: readonly TemplateComponent[]): boolean =>
  withCards(components)
    .flatMap(parametersOf)
    .some(
      (parameter) =>
        isText(parameter) &&
        typeof parameter['text'] !== 'number' &&
        (typeof parameter['text'] !== 'string' || isRefusedText(parameter['text'])),
    );

/** The components with all texts of parameters `flattened`. */
export const flattenedComponents = (components: readonly TemplateComponent[]): TemplateComponent[] =>
  components.map((component) => {
    const { parameters, cards } = component;
    return {
      ...component,
      ...(Array.isArray(parameters) && { parameters: (parameters as unknown[]).map(flattenedParameter) }),
      ...(Array.isArray(cards) && { cards: (cards as unknown[]).map(flattenedCard) }),
    };
  });

const flattenedCard = (card: unknown): unknown =>
  isObject(card) && Array.isArray(card['components'])
    ? { ...card, components: flattenedComponents(listIn(card['components'])) }
    : card;

const flattenedParameter = (parameter: unknown): unknown =>
  isObject(parameter) && isText(parameter) && typeof parameter['text'] === 'string'
    ? { ...parameter, text: flattened(parameter['text']) }
    : parameter;

/** A button that wants a parameter with each send. */
export interface WantedButton {
  /** among all buttons of the template, from 0 */
  index: number;
  subType: 'url' | 'copy_code';
}

const MOST_INDEX = 9;
const SUB_TYPES: readonly string[] = ['url', 'copy_code'] satisfies WantedButton['subType'][];

/**
 * Checks the parameters of URL and copy-code buttons: one of the right kind each.
 * @param wanted null = the template's buttons are not known here
 */
export function hasButtonFault(
  components: readonly TemplateComponent[],
  wanted: readonly WantedButton[] | null,
): boolean {
  const given: WantedButton[] = [];
  for (const component of components) {
    const { type, sub_type: subType, index } = component;
    if (typeof type !== 'string' || type.toLowerCase() !== 'button') continue;
    const kind = typeof subType === 'string' ? subType.toLowerCase() : '';
    if (!SUB_TYPES.includes(kind)) continue;
    const at = typeof index === 'string' && /^\d$/.test(index) ? Number(index) : index;
    const [parameter, ...more] = parametersOf(component);
    if (typeof at !== 'number' || !(at >= 0 && at <= MOST_INDEX) || !parameter || more.length > 0) return true;
    const value = kind === 'url' ? parameter['text'] : parameter['coupon_code'];
    if (typeof value !== 'number' && (typeof value !== 'string' || isRefusedText(value))) return true;
    given.push({ index: at, subType: kind as WantedButton['subType'] });
  }
  if (wanted === null) return false;
  const keyOf = ({ index, subType }: WantedButton): string => `${index} ${subType}`;
  return given.map(keyOf).sort().join() !== wanted.map(keyOf).sort().join();
}

/** Fills a value for one recipient; a value without placeholders is returned unchanged. */
type Filler = (variables?: Variables) => unknown;

/** White space that may make a text refused, alone or beside other blanks. */
const UNUSUAL = new RegExp(`${BREAK.source}|[ \\u00a0]{2}|^\\s|\\s$`);

/** Components with placeholders in their texts (reference/bulk#templates), parsed once. */
export class PersonalisedComponents {
  private constructor(
    private readonly filler: Filler,
    private readonly templates: readonly MessageTemplate[],
  ) {}

  static read(components: readonly TemplateComponent[]): { components: PersonalisedComponents } | TemplateTextFault {
    const templates: MessageTemplate[] = [];
    const filler = fillerOf(components, templates);
    if ('fault' in filler) return filler;
    const size = templates.reduce((sum, template) => sum + template.size, 0);
    return size > MOST_PLACEHOLDERS
      ? { fault: 'tooMany' }
      : { components: new PersonalisedComponents(filler, templates) };
  }

  get names(): readonly string[] {
    return [...new Set(this.templates.flatMap(({ names }) => names))];
  }

  get isConstant(): boolean {
    return this.templates.length === 0;
  }

  fill(variables?: Variables): TemplateComponent[] {
    return this.filler(variables) as TemplateComponent[];
  }

  /** Whether the provider would refuse a filled text; exact only where a value is blank or has white space of its own. */
  isRefused(variables: Variables = {}): boolean {
    const isPlain = this.names.every((name) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return typeof value === 'string' && !UNUSUAL.test(value) && !isBlank(value);
    });
    return !isPlain && hasRefusedText(this.fill(variables));
  }

  /** Placeholders without value or default for a recipient. */
  missing(variables?: Variables): readonly string[] {
    return [...new Set(this.templates.flatMap((template) => template.missing(variables)))];
  }
}

/** Fills texts, not field names. @param templates collects the texts with placeholders */
function fillerOf(value: unknown, templates: MessageTemplate[]): Filler | TemplateTextFault {
  if (typeof value === 'string') return textFiller(value, templates);
  const before = templates.length;
  const fillers: [name: string, filler: Filler][] = [];
  for (const [name, inner] of isObject(value) || Array.isArray(value) ? Object.entries(value as JsonObject) : []) {
    const filler = fillerOf(inner, templates);
    if ('fault' in filler) return filler;
    fillers.push([name, filler]);
  }
  if (templates.length === before) return () => value;
  if (Array.isArray(value)) return (variables) => fillers.map(([, filler]) => filler(variables));
  return (variables) => Object.fromEntries(fillers.map(([name, filler]) => [name, filler(variables)]));
}

function textFiller(text: string, templates: MessageTemplate[]): Filler | TemplateTextFault {
  if (!text.includes('{{')) return () => text;
  const read = MessageTemplate.parse(text);
  if ('fault' in read) return read;
  templates.push(read.template);
  return (variables) => read.template.render(variables);
}
