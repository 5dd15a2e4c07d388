import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { webService } from './support/browser.js';

let url: string;
beforeAll(async () => {
  url = (await webService()).service.url;
});

const get = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init });

/** The files that a page names, as addresses of the server. */
async function filesOf(path: string): Promise<string[]> {
  const text = await (await get(path)).text();
  const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
  return names.map((name) => new URL(name, url + path).pathname);
}

describe('the files of the application', () => {
  it.each(['/app', '/app/', '/app/campaigns/GSM_1?tab=x', '/app/login'])(
    '%s is the page, not kept and strict',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('set-cookie')).toBeNull();
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const text = await response.text();
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|style=/);
      const files = await filesOf(path);
      expect(files.length).toBeGreaterThan(2);
      for (const file of files) expect(file).toMatch(/^\/app\/assets\/[\w.-]+$/);
    },
  );

  it('are named by their content and kept for good, short for those who take it', async () => {
    for (const file of await filesOf('/app')) {
      const response = await get(file, { headers: { 'accept-encoding': 'gzip' } });
      expect([response.status, response.headers.get('cache-control')], file).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const plain = await get(file, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      const text = await response.text();
      expect(await plain.text()).toBe(text);
      for (const [asked, given] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['br;q=0, gzip', 'gzip'],
        ['zstd', null],
      ] as const) {
        const short = await get(file, { headers: { 'accept-encoding': asked } });
        expect(short.headers.get('content-encoding')).toBe(given);
        expect(await short.text()).toBe(text);
      }
    }
  });

  it.each([
    'nothing.js',
    '..%2f..%2fpackage.json',
    '..%2findex.html',
    '%2e%2e/sources.json',
    'index.js%00',
    'toString',
  ])('are not %s', async (name) => {
    const response = await get(`/app/assets/${name}`);
    // what is no name of a file at all is an address of the application
    if (response.status === 200) expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    else expect(response.status).toBe(404);
  });

  it('are for GET and HEAD alone', async () => {
    expect((await get('/app', { method: 'HEAD' })).status).toBe(200);
    for (const path of ['/app', '/app/campaigns']) {
      const response = await get(path, { method: 'POST' });
      expect([response.status, response.headers.get('allow')], path).toEqual([405, 'GET, HEAD']);
    }
  });
});

/** The colours of one scheme in tokens.css, by name. */
const coloursOf = (block: string): Map<string, string> =>
  new Map([...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));

/** Contrast of two colours as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const parts = [1, 3, 5].map((at) => {
      const value = parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0);
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe('the colours', () => {
  it('can be read, light and dark: WCAG AA for texts and for what charts and fields show', () => {
    const blocks = readFileSync(join(import.meta.dirname, '../src/app/tokens.css'), 'utf8')
      .split(/(?=:root)/)
      .filter((block) => block.startsWith(':root'));
    expect(blocks).toHaveLength(2);
    const texts = [
      ...['ground', 'card', 'soft'].flatMap((ground) => [`text/${ground}`, `accent/${ground}`]),
      ...['muted/ground', 'muted/card', 'accent-text/accent', 'danger-text/danger', 'ground/text'],
      ...['danger/card', 'danger/ground', 'danger/danger-soft'],
      ...['good', 'warn', 'live'].map((tone) => `${tone}-text/${tone}-soft`),
    ].map((pair) => [pair, 4.5] as const);
    const shapes = [...[1, 2, 3, 4, 5, 6, 7, 8].map((line) => `line-${line}/card`), 'edge/card'].map(
      (pair) => [pair, 3] as const,
    );
    for (const block of blocks) {
      const colours = coloursOf(block);
      for (const [pair, least] of [...texts, ...shapes]) {
        const [front = '', back = ''] = pair.split('/').map((name) => colours.get(name) ?? '');
        expect(contrast(front, back), `${pair} ${front} ${back}`).toBeGreaterThanOrEqual(least);
      }
    }
  });
});
