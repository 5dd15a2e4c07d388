import type { Request } from 'express';
import { clientIp } from '../../../platform/security/index.js';

/** The program that logs in. */
export interface Client {
  ip: string;
  userAgent: string | undefined;
}

export const clientOf = (request: Request): Client => ({
  ip: clientIp(request),
  userAgent: request.headers['user-agent'],
});

const LONGEST_READ = 512;
const LONGEST = 64;

/** The first that matches wins: browsers name each other. */
const BROWSERS: readonly (readonly [token: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['EdgA', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Windows NT/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

export const UNKNOWN_DEVICE = 'Unknown';

/** A short name of the program that logs in: `Chrome 130 on Windows`, `curl 8.5.0`. ASCII, at most 64 characters. */
export function deviceOf(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, LONGEST_READ);
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  for (const [token, name] of BROWSERS) {
    const version = new RegExp(`\\b${token}/(\\d{1,4})`).exec(text)?.[1];
    if (version !== undefined && text.startsWith('Mozilla/'))
      return system ? `${name} ${version} on ${system}` : `${name} ${version}`;
  }
  const [, product, version] = /^([A-Za-z][\w.-]{0,31})(?:\/([\w.]{1,16}))?/.exec(text) ?? [];
  if (product === undefined || product === 'Mozilla') return system ? `Browser on ${system}` : UNKNOWN_DEVICE;
  return (version === undefined ? product : `${product} ${version}`).slice(0, LONGEST);
}
