/** Whether a text is an http(s) URL with a host. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);

/** A hidden secret in answers; a PUT that sends it keeps the stored secret (reference/providers#secrets). */
export const MASK = '***';

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** Scheme, host and port of a URL; the mask if there are none. Any other part may hold a secret. */
export function urlOrigin(url: string): string {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: 'null' };
  return origin === 'null' ? MASK : origin;
}

/** Replaces login, path and query of a URL by `***`, since they may be secret. Keeps bare origins and other text. */
export function maskUrl(url: string): string {
  if (!isUrl(url)) return url;
  const origin = urlOrigin(url);
  return url.replace(/\/$/, '') === origin ? url : `${origin}/${MASK}`;
}

/** Resolves a masked URL to the current one; null if the rest differs: a secret must never go to another address. */
export function keepUrl(url: string, current: unknown): string | null {
  if (!isUrl(url) || !url.includes(MASK)) return url;
  return typeof current === 'string' && url === maskUrl(current) ? current : null;
}

/** A text without its percent-encoding; as it is where that is broken. */
export function uriDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
