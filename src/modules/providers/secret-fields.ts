/** What a secret reads as, and what a PUT sends to keep it (decisions §8). */
export const MASK = '***';

type Config = Record<string, unknown>;

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes the values that the fields name: `password`, or `headers.*` for all values of an object. */
function mapSecrets(
  config: Config,
  fields: readonly string[],
  change: (value: unknown, path: string[]) => unknown,
): Config {
  const copy: Config = { ...config };
  for (const field of fields) {
    const [first, rest] = field.split('.') as [string, string | undefined];
    const value = copy[first];
    if (value === undefined || value === null) continue;
    if (rest === undefined) copy[first] = change(value, [first]);
    else if (isObject(value)) {
      copy[first] = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, [first, key])]));
    }
  }
  return copy;
}

/** The config as it may be shown. An empty secret is none. */
export const maskSecrets = (config: Config, fields: readonly string[]): Config =>
  mapSecrets(config, fields, (value) => (value === '' ? '' : MASK));

/**
 * The config with each `***` replaced by what stands there now.
 * @returns the path of a `***` that nothing stands behind instead, such as `headers.authorization`
 */
export function keepSecrets(
  config: Config,
  current: Config | null,
  fields: readonly string[],
): { config: Config } | { missing: string } {
  const missing: string[] = [];
  const kept = mapSecrets(config, fields, (value, path) => {
    if (value !== MASK) return value;
    let known: unknown = current;
    for (const step of path) known = isObject(known) && Object.hasOwn(known, step) ? known[step] : undefined;
    if (known === undefined) missing.push(path.join('.'));
    return known;
  });
  const [first] = missing;
  return first === undefined ? { config: kept } : { missing: first };
}
