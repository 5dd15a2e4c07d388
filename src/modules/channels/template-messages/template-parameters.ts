import {
  MessageTemplate,
  MOST_PLACEHOLDERS,
  type TemplateTextFault,
  type Variables,
} from '../../../kernel/message-template.js';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';

/**
 * A component of a template message as a client wrote it (reference/template-messages#parameters); it goes to the
 * upstream as it stands.
 */
export type TemplateComponent = Readonly<Record<string, unknown>>;

/** The parts of an approved template whose placeholders must be filled. */
export interface ApprovedParts {
  /** different placeholders of the body */
  bodyParameters: number;
  /** different placeholders of a text header, 1 for a medium, 0 without a header */
  headerParameters: number;
}

/**
 * How many parameters the components of a kind bring.
 * @returns NaN when a list of parameters is none, or holds something else than parameters: it fits no template
 */
function countOf(components: readonly TemplateComponent[], type: string): number {
  let count = 0;
  for (const component of components) {
    const { type: given, parameters } = component as { type?: unknown; parameters?: unknown };
    if (typeof given !== 'string' || given.toLowerCase() !== type) continue;
    if (parameters === undefined || parameters === null) continue;
    if (!Array.isArray(parameters) || !parameters.every(isObject)) return Number.NaN;
    count += parameters.length;
  }
  return count;
}

/**
 * Body first, then header, as reference/template-messages#errors lists them; button parameters pass unchecked
 * (reference/template-messages#parameters).
 * @returns the row that applies, or null when the counts match
 */
export function parameterFault(
  components: readonly TemplateComponent[],
  parts: ApprovedParts,
): 'bodyParameters' | 'headerParameters' | null {
  if (countOf(components, 'body') !== parts.bodyParameters) return 'bodyParameters';
  return countOf(components, 'header') === parts.headerParameters ? null : 'headerParameters';
}

/** Makes a value of the components for one recipient; what has no placeholder stays the object that it is. */
type Filler = (variables?: Variables) => unknown;

/** The components of a template send with placeholders in their texts (reference/bulk#templates), read once. */
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

  /** Names of all placeholders, each once. */
  get names(): readonly string[] {
    return [...new Set(this.templates.flatMap(({ names }) => names))];
  }

  /** Whether everyone gets the same, written as it stands. */
  get isConstant(): boolean {
    return this.templates.length === 0;
  }

  /** As one recipient gets them. */
  fill(variables?: Variables): TemplateComponent[] {
    return this.filler(variables) as TemplateComponent[];
  }

  /** Names of the placeholders that have neither value nor default for a recipient. */
  missing(variables?: Variables): readonly string[] {
    return [...new Set(this.templates.flatMap((template) => template.missing(variables)))];
  }
}

/** Texts are filled in, names of fields are not. @param templates is added what has placeholders */
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
