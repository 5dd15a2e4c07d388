/** Whether a text is an http(s) URL with a host: what may be handed on to an upstream. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);

/** What a secret reads as, and what a PUT sends to keep it (reference/providers#secrets). */
export const MASK = '***';

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** Scheme, host and port of a URL: a secret may stand anywhere else. What has none is all hidden. */
export function urlOrigin(url: string): string {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: 'null' };
  return origin === 'null' ? MASK : origin;
}

/**
 * A URL without what may be secret in it: login, path and query read `***`, so only scheme, host and port are told. A URL
 * that has no more than these, and a text that is no URL, stay as they are.
 */
export function maskUrl(url: string): string {
  if (!isUrl(url)) return url;
  const origin = urlOrigin(url);
  return url.replace(/\/$/, '') === origin ? url : `${origin}/${MASK}`;
}

/**
 * The URL that stands there now, where `maskUrl` of it is given.
 * @returns null for a mask with something else behind it: a secret never follows to another address
 */
export function keepUrl(url: string, current: unknown): string | null {
  if (!isUrl(url) || !url.includes(MASK)) return url;
  return typeof current === 'string' && url === maskUrl(current) ? current : null;
}
