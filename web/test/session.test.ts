import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, LOGINS, openApp, type OpenedApp, webService } from './support/browser.js';

/** The login, what it leads to, and its end. */
describe.skipIf(!hasBrowser)('the session', () => {
  let app: OpenedApp;
  let url: string;

  beforeAll(async () => {
    url = (await webService()).service.url;
    app = await openApp({ role: null, path: '/account?tab=x' });
  });
  afterAll(() => app.close());

  const logIn = async (name: string, password: string): Promise<void> => {
    await app.page.getByLabel('Username or e-mail').fill(name);
    await app.page.getByLabel('Password').fill(password);
    await app.page.getByRole('button', { name: 'Log in' }).click();
  };

  it('begins with the login, and goes on where one wanted to go', async () => {
    const { page } = app;
    expect(page.url()).toBe(`${url}/app/login?then=%2Faccount%3Ftab%3Dx`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Your password', { exact: true }).waitFor();
    await logIn('demo', 'wrong');
    await page.getByText('Invalid credentials').waitFor();
    app.faults.length = 0; // the browser's own word about the 401
    await logIn(...LOGINS.owner);
    await page.getByRole('heading', { name: 'This account' }).waitFor();
    expect(page.url()).toBe(`${url}/app/account?tab=x`);
    expect(await app.context.cookies(`${url}/admin`)).toEqual([]);
    expect(app.faults).toEqual([]);
  });
});
