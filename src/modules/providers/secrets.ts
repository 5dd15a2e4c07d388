import { now } from '../../kernel/clock.js';
import { isObject, type JsonObject } from '../../kernel/json-values.js';
import { keepUrl, MASK, maskUrl, isHttpUrl } from '../../kernel/urls.js';

/** A secret before its change, valid for a while longer so that no callback is lost. */
export interface FormerSecret {
  value: string;
  until: number;
}

/** 24 h (reference/providers#callbacks). */
export const FORMER_SECRET_MS = 24 * 3_600_000;

/** The former secret after a change. @param change undefined keeps the secret; null clears it and the former one at once */
export function formerSecret(
  current: string | null | undefined,
  change: string | null | undefined,
  former: FormerSecret | null | undefined,
): FormerSecret | null {
  if (change === undefined || change === current) return former ?? null;
  return current && change !== null ? { value: current, until: now().getTime() + FORMER_SECRET_MS } : null;
}

export const takenSecrets = (current: string | null, former: FormerSecret | null | undefined): string[] => [
  ...(current === null ? [] : [current]),
  ...(former && former.until > now().getTime() ? [former.value] : []),
];

type Config = JsonObject;

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

/** The config as it may be shown; an empty secret stays empty. */
export const maskSecrets = (config: Config, fields: readonly string[]): Config =>
  mapSecrets(config, fields, (value) => (value === '' ? '' : MASK));

/** Replaces each `***` by the current secret. @returns also the kept paths; or the path of a `***` without a current secret */
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

/** Masks the secrets in URLs. @param fields that hold URLs */
export const maskUrls = (config: Config, fields: readonly string[]): Config =>
  mapSecrets(config, fields, (value) => (typeof value === 'string' ? maskUrl(value) : value));

/** Replaces masked secrets in URLs by the current ones; or returns the field of a `***` without one. */
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

/** The hosts of a config, without the brackets of IPv6. @param fields that hold addresses */
export const hostsOf = (config: Config, fields: readonly string[]): string[] =>
  fields.flatMap((field) => {
    const value = config[field];
    if (typeof value !== 'string') return [];
    if (isHttpUrl(value)) return [new URL(value).hostname.replace(/^\[|\]$/g, '')];
    return field === 'host' ? [value] : [];
  });

/** True when both configs have the same address, apart from URL queries: secrets may be kept (reference/providers#secrets). */
export const isSameAddress = (a: Config, b: Config, fields: readonly string[]): boolean =>
  fields.every((field) => addressText(a[field]) === addressText(b[field]));

function addressText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!isHttpUrl(value)) return value;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
