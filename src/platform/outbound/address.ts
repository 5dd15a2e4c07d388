import { OutboundError } from './outbound-error.js';

/** Where a call goes, read once: for many calls to one place that is a good part of their cost. */
export interface Address {
  url: URL;
  origin: string;
  /** with the query */
  path: string;
  /** `authorization` from user and password in the URL */
  login: string | null;
}

/** @throws OutboundError `refused` when the text is no http(s) URL */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new OutboundError('refused', false);
  const { origin, username, password } = url;
  const hasLogin = username !== '' || password !== '';
  const login = hasLogin ? `${decoded(username)}:${decoded(password)}` : null;
  return {
    url,
    origin,
    path: url.pathname + url.search,
    login: login === null ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
