import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../test/support/browser.js';
import { openIdProvider, type OpenIdProvider } from '../../test/support/openid-provider.js';
import { type Service, startService } from '../../test/support/processes.js';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, type Theme, WIDE } from './support/browser.js';

/** Staff log in by the identity provider in the browser, confirm there, and read why they may not. */
describe.skipIf(!hasBrowser)('the login by an identity provider', () => {
  let provider: OpenIdProvider;
  let service: Service;

  beforeAll(async () => {
    provider = await openIdProvider();
    service = await startService(0, { ...provider.settings, OIDC_ROLES: 'super=platform' });
    provider.serve(service.url);
  });
  afterAll(async () => {
    await service.stop();
    provider.stop();
  });

  async function open(width: number, theme: Theme): Promise<{ page: Page; context: BrowserContext }> {
    const context = await (
      await openBrowser()
    ).newContext({ viewport: { width, height: 900 }, colorScheme: theme, baseURL: service.url });
    return { context, page: await context.newPage() };
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  async function logInThere(page: Page, subject: string): Promise<void> {
    await page.locator('input[name="login"]').fill(subject);
    await page.locator('input[name="password"]').fill('any');
    await page.locator('button[type="submit"]').click();
    const done = page.locator('button[type="submit"]', { hasText: 'Continue' });
    if (await done.isVisible()) await done.click();
  }

  it.each([
    [WIDE, 'light'],
    [NARROW, 'dark'],
  ] as const)('at %i px, %s', async (width, theme) => {
    const subject = `staff-${String(width)}`;
    provider.people[subject] = { preferred_username: `staff.${String(width)}`, groups: ['platform'] };
    const { page, context } = await open(width, theme);
    await page.goto('/app/login');
    await page.getByRole('button', { name: 'Log in as staff' }).waitFor();
    expect([await axeViolations(page), await fitsWidth(page)]).toEqual([[], true]);
    await press(page, 'Log in as staff');
    await logInThere(page, subject);
    await page.waitForURL((url) => url.pathname === '/app');
    expect(page.url()).not.toMatch(/token|code=|oidc/);
    const makeKey = async () => {
      await page.goto('/app/account/api-keys');
      await press(page, 'New API key');
      await press(page, 'Create the key');
    };
    await makeKey();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await press(page, 'Log in again as staff');
    await logInThere(page, subject);
    await page.waitForURL((url) => url.pathname === '/app');
    await makeKey();
    await page.getByRole('heading', { name: 'Your new API key' }).waitFor();
    provider.people[subject] = {};
    await page.evaluate('sessionStorage.clear()');
    await page.goto('/app/login');
    await press(page, 'Log in as staff');
    await page.getByText('The identity provider gives you no role here.').waitFor();
    expect([await axeViolations(page), await fitsWidth(page)]).toEqual([[], true]);
    await context.close();
  });
});
