import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../test/support/client.js';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

const PASSWORD = 'Sunny-Day-7!';
const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');

/** What each role finds in the navigation, of the pages that not every role has. */
const NAVIGATION = {
  owner: ['New campaign', 'Session message', 'API keys', 'Webhooks', 'People', 'Activity log'],
  manager: ['New campaign', 'Session message', 'Webhooks'],
  sender: ['New campaign', 'Session message'],
  viewer: [],
} as const;
type PersonRole = keyof typeof NAVIGATION;
const ROLES = Object.keys(NAVIGATION) as PersonRole[];

describe.skipIf(!hasBrowser)('people', () => {
  let app: OpenedApp;
  let owner: Client;
  let url: string;
  const username = 'acme.people';

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    const { service, clients } = await webService();
    url = service.url;
    const account = { username, password: PASSWORD, firstname: 'Acme', lastname: 'Ltd' };
    await clients.staff.call('POST', '/v6/api/admin/accounts', account);
    owner = await Client.login(url, username, PASSWORD);
    app = await openApp({ role: null });
  });
  afterAll(() => app.close());

  const logIn = async (name: string): Promise<void> => {
    const { page } = app;
    await page.goto('/app/login');
    await page.evaluate('sessionStorage.clear()');
    await page.goto('/app/login');
    await page.getByLabel('Username or e-mail').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('main h1').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
  };
  /** In both themes and widths: fits, without a violation. */
  const look = async (name: string): Promise<void> => {
    for (const width of [WIDE, NARROW]) {
      for (const theme of ['light', 'dark'] as const) {
        await app.page.setViewportSize({ width, height: 900 });
        await app.page.emulateMedia({ colorScheme: theme });
        await app.page.locator(`html[data-theme=${theme}]`).waitFor();
        await app.page.screenshot({ path: join(PICTURES, `${name}.${String(width)}.${theme}.png`), fullPage: true });
        expect(await fitsWidth(app.page), `${name} ${String(width)}`).toBe(true);
        expect(await axeViolations(app.page), `${name} ${String(width)} ${theme}`).toEqual([]);
      }
    }
    await app.page.setViewportSize({ width: WIDE, height: 900 });
  };

  it('are invited by a link that is shown once, join by it, and log in', async () => {
    const { page } = app;
    await logIn(username);
    await page.goto('/app/account/people');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Username').fill('people.guest');
    await page.getByRole('dialog').getByLabel('Role').selectOption('sender');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('heading', { name: 'Hand this link over' }).waitFor();
    const link = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    expect(link).toMatch(new RegExp(`^${url}/app/join#[\\w-]{43}$`));
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('invited', { exact: true }).waitFor();
    await look('people');
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('heading', { name: 'Join' }).waitFor();
    await page.getByText('people.guest').waitFor();
    await look('join');
    await page.getByLabel('First name').fill('Jane');
    await page.getByLabel('Last name').fill('Doe');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password again').fill('Another-1');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('The passwords differ').waitFor();
    await page.getByLabel('Password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL(/\/app(?!\/join)/);
    expect(app.faults).toEqual([]);
    await logIn('people.guest');
    await page.getByText('Jane Doe').first().waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This link is not valid').waitFor();
    await look('used-link');
    app.faults.length = 0; // the browser's own word about the 404
  });

  it('who forgot the password are told the same for every name', async () => {
    const { page } = app;
    await page.goto('/app/login');
    await page.evaluate('sessionStorage.clear()');
    await page.goto('/app/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await look('forgot-password');
    await page.getByLabel('Username or e-mail').fill('nobody.at.all');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(app.faults).toEqual([]);
  });

  it.each(ROLES)('of the role %s see the pages and buttons of their rights, and no page refuses them', async (role) => {
    const { page, faults } = app;
    const name = `people.${role}`;
    const person = { username: name, password: PASSWORD, firstname: role, lastname: 'Person', role };
    expect((await owner.call('POST', '/v6/api/account/users', person)).status).toBe(201);
    await logIn(name);
    const shown = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(Object.values(NAVIGATION.owner).filter((label) => shown.includes(label))).toEqual(NAVIGATION[role]);
    faults.length = 0;
    const paths = await page.evaluate<string[]>(
      "Array.from(document.querySelectorAll('nav[aria-label=Pages] a'), (link) => link.pathname)",
    );
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('main .loading').first().waitFor({ state: 'detached' });
      expect(await page.getByText('Permission denied').count(), path).toBe(0);
    }
    // provider profile: this account has none
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await page.goto('/app/templates');
    await page.locator('main h1').first().waitFor();
    const manages = role === 'owner' || role === 'manager';
    expect(await page.getByRole('link', { name: 'New template' }).count()).toBe(manages ? 1 : 0);
    await page.goto('/app/');
    await page.locator('main h1').first().waitFor();
    const sends = await page.getByRole('main').getByRole('link', { name: 'New campaign' }).count();
    expect(sends).toBe(role === 'viewer' ? 0 : 1);
    await look(`home-of-${role}`);
    faults.length = 0;
  });
});
