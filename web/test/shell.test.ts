import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, WIDE, webService } from './support/browser.js';

/** What stands around every page. */
describe.skipIf(!hasBrowser)('the shell', () => {
  let app: OpenedApp;
  let url: string;

  beforeAll(async () => {
    url = (await webService()).service.url;
    app = await openApp({ role: 'staff', path: '/account' });
  });
  afterAll(() => app.close());

  const focused = (what: string) => app.page.evaluate<string>(`document.activeElement.${what}`);
  const navigation = () => app.page.getByRole('navigation', { name: 'Pages', exact: true });

  it('can be left behind by keyboard, and takes the focus to the heading of a new page', async () => {
    const { page } = app;
    await page.reload();
    await page.getByRole('heading', { name: 'This account' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused('textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await focused('id')).toBe('content');
    const links = navigation().getByRole('link');
    const other = links.filter({ hasNotText: 'This account' }).first();
    if ((await other.count()) === 0) return;
    await other.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused('tagName')).toBe('H1');
    expect(await navigation().locator('[aria-current=page]').count()).toBe(1);
  });

  it('has what staff are called for in sight, without scrolling', async () => {
    const groups = await navigation().getByRole('heading').allTextContents();
    expect(groups).toEqual(['Watch', 'Operate', 'Review', 'Accounts', 'Send', 'Own account']);
    const last = await navigation().getByRole('link', { name: 'Margin' }).boundingBox();
    expect((last?.y ?? Infinity) + (last?.height ?? 0)).toBeLessThan(600);
  });

  it('says that there is no such page', async () => {
    const { page } = app;
    await app.go('/nowhere/at/all');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await page.title()).toBe('Not found · Switchboard');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.locator('main h1:not(:text("No such page"))').waitFor();
    expect(app.faults).toEqual([]);
  });

  it('follows the colours of the machine until others are chosen, and keeps those', async () => {
    const { page } = app;
    const shown = () => page.evaluate('document.documentElement.dataset.theme');
    await app.go('/account');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(shown).toBe('dark');
    await page.getByLabel('Light', { exact: true }).check({ force: true });
    expect(await shown()).toBe('light');
    await page.reload();
    await page.getByRole('heading', { name: 'This account' }).waitFor();
    expect(await shown()).toBe('light');
    await page.getByLabel('System').check({ force: true });
    expect(await shown()).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(shown).toBe('light');
  });

  it('has its navigation behind a button on a narrow screen', async () => {
    const { page } = app;
    await page.setViewportSize({ width: NARROW, height: 844 });
    await app.go('/account');
    const button = page.getByRole('button', { name: 'Open the navigation' });
    expect(await navigation().isVisible()).toBe(false);
    await button.click();
    await navigation().getByRole('link', { name: 'This account' }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await navigation().getByRole('link').first().focus();
    await page.keyboard.press('Escape');
    await button.waitFor();
    expect(await navigation().isVisible()).toBe(false);
    expect(await focused('className')).toContain('menu');
    await button.click();
    await navigation().getByRole('link', { name: 'This account' }).click();
    await page.getByRole('heading', { name: 'This account' }).waitFor();
    expect(await navigation().isVisible()).toBe(false);
    await page.setViewportSize({ width: WIDE, height: 900 });
  });

  it('says when the first load failed, and offers another try', async () => {
    const { page } = app;
    const heard = app.faults.length;
    await page.route('**/v6/api/account', (route) => route.abort());
    await page.goto(`${url}/app/account`);
    await page.getByText('This could not be loaded: The API does not answer.').waitFor();
    await page.unroute('**/v6/api/account');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'This account' }).waitFor();
    app.faults.splice(heard); // the browser's own words about what was cut off
  });

  it('says in words when a proxy answers in the API’s place', async () => {
    const { page } = app;
    const heard = app.faults.length;
    await page.route('**/v6/api/account', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await page.goto(`${url}/app/account`);
    await page.getByText('This could not be loaded: The API answered 502.').waitFor();
    await page.unroute('**/v6/api/account');
    app.faults.splice(heard);
  });
});
