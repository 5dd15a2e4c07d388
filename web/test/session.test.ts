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
    await app.page.keyboard.press('Enter');
  };
  const cookies = async () =>
    (await app.context.cookies(`${url}/admin`)).map(({ name, httpOnly, path, sameSite }) => ({
      name,
      httpOnly,
      path,
      sameSite,
    }));
  const account = () => app.page.getByRole('heading', { name: 'This account' }).waitFor();

  it('begins with the login, which says what is missing or wrong, and goes on where one wanted to go', async () => {
    const { page } = app;
    expect(page.url()).toBe(`${url}/app/login?then=%2Faccount%3Ftab%3Dx`);
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Enter your password', { exact: true }).waitFor();
    await logIn('demo', 'wrong');
    await page.getByText('Invalid credentials').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    app.faults.length = 0; // the browser's own word about the 401
    await logIn(...LOGINS.owner);
    await account();
    expect(page.url()).toBe(`${url}/app/account?tab=x`);
    expect(await cookies()).toEqual([]);
    expect(app.faults).toEqual([]);
  });

  it('lives in this tab alone: neither other tabs nor the address have it', async () => {
    const other = await app.context.newPage();
    await other.goto(`${url}/app/account`);
    await other.getByRole('heading', { name: 'Log in' }).waitFor();
    await other.close();
    expect(await app.page.evaluate('Object.keys(localStorage)')).toEqual([]);
    await app.page.reload();
    await account();
  });

  it('shows an owner no page of staff, whatever the address', async () => {
    expect(await app.page.getByRole('link', { name: 'Queues' }).count()).toBe(0);
  });

  it('ends with the token, says so, and comes back to where it was', async () => {
    const { page } = app;
    await page.goto(`${url}/app/account?tab=y`);
    await account();
    await page.evaluate("sessionStorage.setItem('switchboard.token', 'x.y.z')");
    await page.reload();
    await page.getByText('Your session has ended. Please log in again.').waitFor();
    expect(page.url()).toBe(`${url}/app/login?then=%2Faccount%3Ftab%3Dy`);
    await logIn(...LOGINS.owner);
    await account();
    expect(page.url()).toBe(`${url}/app/account?tab=y`);
    app.faults.length = 0;
  });

  it('of staff opens the queue dashboard too, and brings back who was sent away from there', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(page.url()).toBe(`${url}/app/login`);
    await page.goto(`${url}/admin/queues`);
    expect(page.url()).toBe(`${url}/app/login?then=%2Fadmin%2Fqueues`);
    await logIn(...LOGINS.staff);
    await page.waitForURL(`${url}/admin/queues`);
    await page.getByRole('link', { name: 'unofficial' }).first().waitFor();
    app.faults.length = 0; // the dashboard asks for fonts of another site, and for pictures that it lacks
    expect(await cookies()).toEqual([{ name: 'admin_session', httpOnly: true, path: '/admin', sameSite: 'Strict' }]);
    await page.goto(`${url}/app/account`);
    await account();
    await page.getByRole('link', { name: 'Queues' }).waitFor();
  });

  it('leads to no other site', async () => {
    const { page } = app;
    for (const then of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/admin/queuesx',
      'javascript:1',
    ]) {
      await page.goto(`${url}/app/login?then=${encodeURIComponent(then)}`);
      await page.locator('main h1').first().waitFor();
      expect(new URL(page.url()).origin, then).toBe(url);
      expect(new URL(page.url()).pathname, then).toMatch(/^\/app/);
    }
  });

  it('ends at the logout for page and dashboard, and its token is worth nothing', async () => {
    const { page } = app;
    await page.goto(`${url}/app/account`);
    await account();
    app.faults.length = 0;
    const token = await page.evaluate<string>("sessionStorage.getItem('switchboard.token')");
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await expect.poll(cookies).toEqual([]);
    await page.goto(`${url}/admin/queues`);
    expect(page.url()).toBe(`${url}/app/login?then=%2Fadmin%2Fqueues`);
    const answer = await fetch(`${url}/v6/api/account`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(app.faults).toEqual([]);
  });
});
