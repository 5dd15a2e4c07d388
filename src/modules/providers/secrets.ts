import { now } from '../../kernel/clock.js';
import { isObject, type JsonObject } from '../../kernel/json-values.js';
import { keepUrl, MASK, maskUrl, isHttpUrl } from '../../kernel/urls.js';

/** What proved a callback before the secret was changed: taken a while longer, so that none is lost meanwhile. */
export interface FormerSecret {
  value: string;
  /** until when, milliseconds since 1970 */
  until: number;
}

/** How long a former secret is taken: 24 h (reference/providers#callbacks). */
export const FORMER_SECRET_MS = 24 * 3_600_000;

/**
 * What stays valid beside a changed secret.
 * @param change undefined keeps the secret, null clears it at once and what came before it too
 */
export function formerSecret(
  current: string | null | undefined,
  change: string | null | undefined,
  former: FormerSecret | null | undefined,
): FormerSecret | null {
  if (change === undefined || change === current) return former ?? null;
  return current && change !== null ? { value: current, until: now().getTime() + FORMER_SECRET_MS } : null;
}

/** The secrets that are taken at this moment, the current one first. */
export const takenSecrets = (current: string | null, former: FormerSecret | null | undefined): string[] => [
  ...(current === null ? [] : [current]),
  ...(former && former.until > now().getTime() ? [former.value] : []),
];

type Config = JsonObject;

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
 * @returns it with the paths of what was kept; or the path of a `***` that nothing stands behind, such as
 * `headers.authorization`
 */
export function keepSecrets(
  config: Config,
  current: Config | null,
  fields: readonly string[],
): { config: Config; kept: string[] } | { missing: string } {
  const missing: string[] = [];
  const kept: string[] = [];
  const filled = mapSecrets(config, fields, (value, path) => {
    if (value !== MASK) return value;
    let known: unknown = current;
    for (const step of path) known = isObject(known) && Object.hasOwn(known, step) ? known[step] : undefined;
    (known === undefined ? missing : kept).push(path.join('.'));
    return known;
  });
  const [first] = missing;
  return first === undefined ? { config: filled, kept } : { missing: first };
}

/** The config with the secrets of its URLs masked. @param fields those where an address stands */
export const maskUrls = (config: Config, fields: readonly string[]): Config =>
  mapSecrets(config, fields, (value) => (typeof value === 'string' ? maskUrl(value) : value));

/** The config with the secrets of its URLs as they stand; or the field of a `***` with nothing behind it. */
export function keepUrls(
  config: Config,
  current: Config | null,
  fields: readonly string[],
): { config: Config } | { missing: string } {
  const missing: string[] = [];
  const filled = mapSecrets(config, fields, (value, [field = '']) => {
    if (typeof value !== 'string') return value;
    const kept = keepUrl(value, current?.[field]);
    if (kept === null) missing.push(field);
    return kept;
  });
  const [first] = missing;
  return first === undefined ? { config: filled } : { missing: first };
}

/** The hosts that a config leads to, without the brackets of IPv6. @param fields those where an address stands */
export const hostsOf = (config: Config, fields: readonly string[]): string[] =>
  fields.flatMap((field) => {
    const value = config[field];
    if (typeof value !== 'string') return [];
    if (isHttpUrl(value)) return [new URL(value).hostname.replace(/^\[|\]$/g, '')];
    return field === 'host' ? [value] : [];
  });

/**
 * Whether two configs lead to the same place, so that a secret of one may stand in the other
 * (reference/providers#secrets). Of a URL its query does not count.
 * @param fields where the address stands: `host`, `url`, the login's name
 */
export const isSameAddress = (a: Config, b: Config, fields: readonly string[]): boolean =>
  fields.every((field) => addressText(a[field]) === addressText(b[field]));

function addressText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!isHttpUrl(value)) return value;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
