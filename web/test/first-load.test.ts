import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { hasBrowser, LOGINS, openApp, type OpenedApp, webService } from './support/browser.js';

const LOGIN_BYTES = 60 * 1024;
const FIRST_LOAD_BYTES = 350 * 1024;
const PAINT_MS = 500;

/** Scripts and styles, as they were asked for. */
const isCode = (url: string): boolean => /\.(?:js|css)$/.test(new URL(url).pathname);

/** How many bytes of code, compressed, were loaded until `shown` is in sight. */
async function loadedUntil(page: Page, path: string, shown: string): Promise<number> {
  await page.goto('about:blank');
  const sizes: Promise<number>[] = [];
  const note = (response: Response): void => {
    if (isCode(response.url())) sizes.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on('response', note);
  await page.goto(path);
  await page.locator(shown).first().waitFor();
  page.off('response', note);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** How much has to come before the first page shows, and how soon it does. */
describe.skipIf(!hasBrowser)('the first load', () => {
  let app: OpenedApp | undefined;
  afterEach(() => app?.close());

  it('of the login is 60 KB at most: it shows, and takes a name, without the application', async () => {
    const { service } = await webService();
    const named = await (await fetch(`${service.url}/app/login`)).text();
    app = await openApp({ role: null, path: '/login' });
    const { page } = app;
    let isHeldBack = true;
    await page.route('**/app/assets/*', (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      return isHeldBack && !named.includes(name) ? route.abort() : route.continue();
    });
    const size = await loadedUntil(page, '/app/login', '#login-title');
    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThanOrEqual(LOGIN_BYTES);
    await page.getByLabel('Username or e-mail').fill(LOGINS.owner[0]);
    expect(await axeViolations(page)).toEqual([]);
    isHeldBack = false;
    await page.reload();
    await page.getByLabel('Username or e-mail').fill(LOGINS.owner[0]);
    await page.getByLabel('Password').fill(LOGINS.owner[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });

  it('of the login paints within half a second, the best of five', async () => {
    app = await openApp({ role: null, path: '/login' });
    const { page } = app;
    const paints: number[] = [];
    for (let time = 0; time < 5; time++) {
      await page.reload();
      await page.locator('#login-title').waitFor();
      await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
      paints.push(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    }
    expect(Math.min(...paints), `paints after ${paints.join(', ')} ms`).toBeLessThanOrEqual(PAINT_MS);
  });

  it.each(['owner', 'staff'] as const)('of %s is 350 KB at most, compressed', async (role) => {
    app = await openApp({ role });
    const size = await loadedUntil(app.page, '/app/', 'main h1');
    expect(size).toBeGreaterThan(LOGIN_BYTES); // nothing came from a cache
    expect(size).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });
});
