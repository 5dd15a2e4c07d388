import { isObject } from '../../../../kernel/objects.js';

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
