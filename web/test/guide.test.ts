import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, WIDE } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const HEIGHT = 900;
/** One of each kind: links, commands, small and large tables, code of several languages, headings of one word. */
const PAGES = ['', '/start/sms', '/operate/runbook', '/reference/admin', '/events', '/own/statuses'];

describe.skipIf(!hasBrowser)('the guide in a browser', () => {
  let app: OpenedApp;
  let page: Page;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    app = await openApp({ role: null });
    ({ page } = app);
    app.faults.length = 0;
  });
  afterAll(() => app.close());

  it.each(PAGES)('/docs/guide%s has no fault, fits, and is for everybody', async (path) => {
    await page.goto(`/docs/guide${path}`);
    expect(await page.locator('h1').count()).toBe(1);
    for (const [width, theme] of [
      [WIDE, 'light'],
      [WIDE, 'dark'],
      [NARROW, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.emulateMedia({ colorScheme: theme });
      const name = `guide${path.replaceAll('/', '-')}`;
      await page.screenshot({ path: join(PICTURES, `${name}.${width}.${theme}.png`) });
      expect(await fitsWidth(page), `${path} ${width}`).toBe(true);
      expect(await axeViolations(page), `${path} ${width} ${theme}`).toEqual([]);
    }
    expect(app.faults).toEqual([]);
  });

  it('finds a page by words of its title or address, and opens it', async () => {
    await page.setViewportSize({ width: WIDE, height: HEIGHT });
    await page.goto('/docs/guide');
    const filter = page.getByLabel('Find a page');
    await filter.fill('no such page');
    await page.getByText('No page of that name.').waitFor();
    await filter.fill('operate back');
    expect(await page.locator('#pages li:visible').allTextContents()).toEqual(['Backup and restore']);
    await filter.press('Enter');
    await page.waitForURL('**/docs/guide/operate/backup');
    expect(await page.locator('#pages [aria-current=page]').textContent()).toBe('Backup and restore');
  });
});
