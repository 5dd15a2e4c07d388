import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../support/api.js';

const DOCS = join(import.meta.dirname, '../../docs');
/** Every page of the guide, as it is asked for. */
const PAGES = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `/docs/guide/${file.replace(/^generated\//, '').replace(/(\/?README)?\.md$/, '')}`.replace(/\/$/, ''));

let api: RunningApi;
/** Passport knows one strategy a process, that of the instance started last: it must not stop before the tests end. */
const others: RunningApi[] = [];

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  for (const other of others) await other.stop();
  await api.stop();
});

const get = async (path: string, at = api): Promise<{ status: number; headers: Headers; text: string }> => {
  const response = await fetch(at.url + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const linksOf = (html: string): string[] => [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
const idsOf = (html: string): Set<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

describe('the guide', () => {
  it('serves every document as a page whose links lead somewhere', async () => {
    const pages = new Map(await Promise.all(PAGES.map(async (path) => [path, await get(path)] as const)));
    expect([...pages].filter(([, { status }]) => status !== 200).map(([path]) => path)).toEqual([]);
    const dead = [...pages].flatMap(([path, { text }]) =>
      linksOf(text)
        .filter((href) => !/^(https?:|data:|mailto:)/.test(href))
        .filter((href) => {
          const [target = '', anchor] = href.split('#');
          const page = pages.get(target === '' ? path : target);
          if (!page) return !/^\/docs(\/guide\/assets\/guide\.(css|js))?$/.test(target);
          return anchor !== undefined && !idsOf(page.text).has(anchor);
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(dead).toEqual([]);
    for (const { text } of pages.values()) expect(text).not.toMatch(/<script>| style=| on\w+=|<img/);
  });

  it('lets nothing be loaded from elsewhere', async () => {
    const { headers, text } = await get('/docs/guide');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const [name, type] of [
      ['guide.css', 'text/css; charset=utf-8'],
      ['guide.js', 'text/javascript; charset=utf-8'],
    ] as const) {
      expect(text).toContain(`/docs/guide/assets/${name}`);
      const asset = await get(`/docs/guide/assets/${name}`);
      expect([asset.status, asset.headers.get('content-type')]).toEqual([200, type]);
    }
  });

  it('marks the page that is shown, and is linked from the API page', async () => {
    const { text } = await get('/docs/guide/operate/backup');
    expect(text).toContain('<a href="/docs/guide/operate/backup" aria-current="page">');
    expect(text).toMatch(/<title>Backup[^<]* – Switchboard guide<\/title>/);
    const document = (await (await fetch(`${api.url}/docs-json`)).json()) as { info: { description: string } };
    expect(document.info.description).toContain('](/docs/guide)');
  });

  it.each([
    '/docs/guide/nothing',
    '/docs/guide/operate',
    '/docs/guide/assets/nothing.css',
    '/docs/guide/..%2f..%2fpackage.json',
    '/docs/guide/%2e%2e/README',
    '/docs/guide/openapi.json',
    '/docs/guide/start/sms.md',
  ])('has no page %s', async (path) => {
    const { status, text } = await get(path);
    expect([status, JSON.parse(text)]).toMatchObject([404, { success: false, statusCode: 404 }]);
  });

  it('is hidden with DOCS=off', async () => {
    const hidden = await startApi({ ...api.environment, DOCS: false }, api.database);
    others.push(hidden);
    for (const path of ['/docs/guide', '/docs/guide/operate/backup', '/docs/guide/assets/guide.css']) {
      expect((await get(path, hidden)).status).toBe(404);
    }
  });

  it('leads below the path of PUBLIC_URL', async () => {
    const below = await startApi({ ...api.environment, PUBLIC_URL: 'https://send.example.com/c/b' }, api.database);
    others.push(below);
    const { text } = await get('/docs/guide/operate/backup', below);
    const outside = linksOf(text).filter((href) => !/^(\/c\/b\/docs|https?:|data:|#)/.test(href));
    expect(outside).toEqual([]);
    expect(text).toContain('href="/c/b/docs/guide/operate/upgrade"');
  });
});
