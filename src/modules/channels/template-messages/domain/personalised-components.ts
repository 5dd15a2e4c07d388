import {
  MessageTemplate,
  MOST_PLACEHOLDERS,
  type TemplateTextFault,
  type Variables,
} from '../../../../kernel/message-template.js';
import { isObject, type JsonObject } from '../../../../kernel/objects.js';
import type { TemplateComponent } from './template-parameters.js';

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
