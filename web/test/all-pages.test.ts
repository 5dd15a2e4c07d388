import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLES } from './samples.js';
import { axeViolations } from './support/axe.js';
import {
  fitsWidth,
  hasBrowser,
  NARROW,
  openApp,
  type OpenedApp,
  type Role,
  WIDE,
  webService,
} from './support/browser.js';

interface Page {
  path: string;
  title: string;
  roles: readonly Role[];
}

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const HEIGHT = 900;
const EVERY = [
  ['wide', 'light'],
  ['wide', 'dark'],
  ['narrow', 'light'],
  ['narrow', 'dark'],
] as const;
/** Resellers see the pages of owners, and some of staff: one look will do. */
const LOOKS = { staff: EVERY, owner: EVERY, reseller: [EVERY[3]] } as const;

/** Pages about something that not every account has, which say so. */
const MISSING_FOR: Readonly<Record<string, readonly Role[]>> = {
  '/business-profile': ['staff', 'reseller'],
  '/session-messages/$id': ['reseller'],
};

/** `WEB_PAGES=/routes npm test -- web web/test/all-pages.test.ts` walks these alone. */
const ONLY = process.env['WEB_PAGES'] ?? '/';

// a path that the compiler does not follow: pages are typed by a project of their own
const list: string = '../src/app/pages.js';
const { PAGES } = (await import(/* @vite-ignore */ list)) as { PAGES: readonly Page[] };

describe.skipIf(!hasBrowser).each(['staff', 'owner', 'reseller'] as const)('every page of %s', (role) => {
  const pages = PAGES.filter(({ path, roles }) => roles.includes(role) && path.startsWith(ONLY));
  let app: OpenedApp;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    app = await openApp({ role });
  });
  afterAll(() => app.close());

  const addressOf = async (path: string): Promise<string> => {
    if (!path.includes('$')) return path;
    const sample = SAMPLES[path];
    if (sample === undefined) throw new Error(`web/test/samples.ts has no sample for ${path}`);
    const { clients } = await webService();
    const values = await sample({ role, client: clients[role], clients });
    return path.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  };

  it.each(pages)('$path has no fault, fits, and is for everybody', async ({ path, title }) => {
    const { page, faults } = app;
    faults.length = 0;
    await page.setViewportSize({ width: WIDE, height: HEIGHT });
    await app.go(await addressOf(path));
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
    expect(await page.title()).toBe(`${title} · Switchboard`);
    expect(await page.locator('main .failed').allTextContents()).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    for (const [width, theme] of LOOKS[role]) {
      const at = `${role} ${width} ${theme}`;
      await page.setViewportSize(
        width === 'wide' ? { width: WIDE, height: HEIGHT } : { width: NARROW, height: HEIGHT },
      );
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', '');
      await page.screenshot({ path: join(PICTURES, `${name}.${role}.${width}.${theme}.png`), fullPage: true });
      expect(await fitsWidth(page), at).toBe(true);
      expect(await axeViolations(page), at).toEqual([]);
    }
    // the browser's own word about a 404
    const missing = MISSING_FOR[path]?.includes(role) === true;
    expect(missing ? faults.filter((fault) => !fault.includes('404')) : faults).toEqual([]);
  });
});
