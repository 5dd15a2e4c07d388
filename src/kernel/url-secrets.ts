/** What a secret reads as, and what a PUT sends to keep it (reference/providers#secrets). */
export const MASK = '***';

/** Scheme, `user:password@`, host with path, query; a fragment is never sent. Backslashes are slashes to a URL parser. */
const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\\]*@)?([^?#]*)(?:\?([^#]*))?/i;
/** A placeholder of the message, which is no secret. */
const ONLY_PLACEHOLDERS = /^(?:\{\{[^{}]*\}\})*$/;

interface UrlParts {
  scheme: string;
  login: string | null;
  place: string;
  /** the texts between the ampersands */
  query: string[] | null;
}

function partsOf(url: string): UrlParts | null {
  const [, scheme, login, place, query] = URL_PARTS.exec(url) ?? [];
  if (scheme === undefined || place === undefined) return null;
  return { scheme, login: login?.slice(0, -1) ?? null, place, query: query?.split('&') ?? null };
}

const joined = ({ scheme, login, place, query }: UrlParts): string =>
  `${scheme}${login === null ? '' : `${login}@`}${place}${query === null ? '' : `?${query.join('&')}`}`;

const splitPair = (pair: string): [string, string | null] => {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, null] : [pair.slice(0, at), pair.slice(at + 1)];
};

/**
 * A URL without what may be secret in it: user, password and the values of its query read `***`, placeholders of the message
 * stay. A text that is no URL stays as it is.
 */
export function maskUrl(url: string): string {
  const parts = partsOf(url);
  if (!parts) return url;
  const login = parts.login === null ? null : parts.login.includes(':') ? `${MASK}:${MASK}` : MASK;
  const query = parts.query?.map((pair) => {
    const [name, value] = splitPair(pair);
    if (value === null) return ONLY_PLACEHOLDERS.test(name) ? pair : MASK;
    return ONLY_PLACEHOLDERS.test(value) ? pair : `${name}=${MASK}`;
  });
  return joined({ ...parts, login, query: query ?? null });
}

/**
 * The URL with each `***` of `maskUrl` replaced by what stands there now.
 * @returns null when nothing stands behind one of them, or the place is another: a secret never follows to another address
 */
export function keepUrl(url: string, current: unknown): string | null {
  if (!url.includes(MASK) || !partsOf(url)) return url;
  if (typeof current !== 'string') return null;
  if (url === maskUrl(current)) return current;
  const [given, known] = [partsOf(url), partsOf(current)];
  if (!given || !known || given.scheme !== known.scheme || given.place !== known.place) return null;
  const login = given.login?.includes(MASK) ? known.login : given.login;
  const left = known.query?.map(splitPair) ?? [];
  const query = given.query?.map((pair) => {
    const [name, value] = splitPair(pair);
    if (value !== MASK && pair !== MASK) return pair;
    const at = left.findIndex(([other, its]) => (value === null ? its === null : other === name && its !== null));
    const [kept] = at < 0 ? [] : left.splice(at, 1);
    return kept === undefined ? null : kept[1] === null ? kept[0] : `${kept[0]}=${kept[1]}`;
  });
  if ((given.login !== null && login === null) || query?.includes(null)) return null;
  return joined({ ...given, login: login ?? null, query: (query as string[] | undefined) ?? null });
}

/** Scheme, host and port of a URL: of what may have secrets anywhere else. A text that is no URL is all hidden. */
export function urlOrigin(url: string): string {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: MASK };
  return origin === 'null' ? MASK : origin;
}
