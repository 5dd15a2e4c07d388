import {
  MessageTemplate,
  MOST_PLACEHOLDERS,
  type TemplateTextFault,
  type Variables,
} from '../../../kernel/message-template.js';
import { isObject, type JsonObject } from '../../../kernel/json-values.js';

/** A component as the client sent it; the provider gets it unchanged (reference/template-messages#parameters). */
export type TemplateComponent = Readonly<Record<string, unknown>>;

export interface ApprovedParts {
  bodyParameters: number;
  /** different placeholders; 1 for a medium, 0 without a header */
  headerParameters: number;
}

/** Number of parameters of one kind; NaN when a list is malformed, which fits no template. */
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

/** Checks body, then header (reference/template-messages#errors); button parameters pass. @returns null = the counts match */
export function parameterFault(
  components: readonly TemplateComponent[],
  parts: ApprovedParts,
): 'bodyParameters' | 'headerParameters' | null {
  if (countOf(components, 'body') !== parts.bodyParameters) return 'bodyParameters';
  return countOf(components, 'header') === parts.headerParameters ? null : 'headerParameters';
}

/** Fills a value for one recipient; a value without placeholders is returned unchanged. */
type Filler = (variables?: Variables) => unknown;

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
