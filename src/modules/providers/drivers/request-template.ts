/** Values of a request template: `{{to}}`, `{{from}}`, `{{text}}`, `{{media_url}}`, `{{ref}}`, `{{secrets.<name>}}` … */
export type TemplateValues = Readonly<Record<string, string | number | null>>;

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;
const ALONE = /^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}$/;
/** The quotes around a placeholder in JSON text belong to it, so that both ways of writing it are valid. */
const IN_JSON_TEXT = /"\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}"|\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

export function placeholders(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map((match) => match[1] as string);
  if (Array.isArray(value)) return value.flatMap(placeholders);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(placeholders);
  return [];
}

/** Replaces placeholders in a text; absent values are empty. @param write escapes a value */
export const fillText = (template: string, values: TemplateValues, write: (value: string) => string): string =>
  template.replace(PLACEHOLDER, (_, name: string) => write(String(values[name] ?? '')));

/** A lone placeholder becomes the value itself (null = absent). Keys stay, so that no message changes the request's shape. */
export function fillJson(template: unknown, values: TemplateValues): unknown {
  if (typeof template === 'string') {
    const name = ALONE.exec(template)?.[1];
    return name === undefined ? fillText(template, values, (value) => value) : (values[name] ?? null);
  }
  if (Array.isArray(template)) return template.map((item) => fillJson(item, values));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillJson(item, values)]));
  }
  return template;
}

export const fillJsonText = (template: string, values: TemplateValues): string =>
  template.replace(IN_JSON_TEXT, (_, quoted: string | undefined, bare: string | undefined) =>
    JSON.stringify(values[quoted ?? bare ?? ''] ?? null),
  );

/** Reads `a.b[0].c` or `a.b.0.c`; undefined = no such path. `''` is the value itself. */
export function readPath(value: unknown, path: string): unknown {
  let current = value;
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}

export function readScalar(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}
