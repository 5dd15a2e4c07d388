import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

const PASSWORD = 'Sunny-Day-7!';

/** Second factors in the browser, at both widths; passkeys with the browser's virtual authenticator. */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('signing in at %i px', (width) => {
  const username = `sign.in.${String(width)}`;
  let app: OpenedApp;
  let local: string;

  beforeAll(async () => {
    const { service, clients } = await webService();
    // a passkey belongs to a name: the address is none
    local = service.url.replace('127.0.0.1', 'localhost');
    const account = { username, password: PASSWORD, firstname: 'Sina', lastname: 'Sign' };
    await clients.staff.call('POST', '/v6/api/admin/accounts', account);
    app = await openApp({ role: null, width, path: '/' });
    const cdp = await app.context.newCDPSession(app.page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
  });
  afterAll(() => app.close());

  const button = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true });
  const field = (name: string) => app.page.getByLabel(name, { exact: true });
  const heading = (name: string) => app.page.getByRole('heading', { name, exact: true }).waitFor();
  async function logIn(): Promise<void> {
    await app.page.evaluate('sessionStorage.clear()');
    await app.page.goto(`${local}/app/account/sign-in`);
    await app.page.evaluate('sessionStorage.clear()');
    await app.page.reload();
    await field('Username or e-mail').fill(username);
    await field('Password').fill(PASSWORD);
    await button('Log in').click();
  }

  it('shows the sessions, and ends another one', async () => {
    const { service } = await webService();
    const body = JSON.stringify({ email_or_username: username, password: PASSWORD });
    const headers = { 'content-type': 'application/json', 'user-agent': 'curl/8.5.0' };
    await fetch(`${service.url}/v1/auth/login`, { method: 'POST', headers, body });
    await logIn();
    await heading('Sessions');
    await app.page.getByText('curl 8.5.0').waitFor();
    await app.page.getByRole('button', { name: /^End the session of curl/ }).click();
    await app.page.getByText('Session ended').waitFor();
    await app.page.getByText('curl 8.5.0').waitFor({ state: 'detached' });
  });

  it('adds a passkey, and logs in with it', async () => {
    await button('Add a passkey').click();
    await field('Name').fill('Laptop');
    await button('Add the passkey').click();
    await heading('Recovery codes');
    expect(await app.page.locator('.recovery-codes code').count()).toBe(10);
    await button('I have kept them').click();
    await app.page.getByText('Passkey: Laptop').waitFor();
    await logIn();
    await button('Use a passkey').click();
    await app.page.getByText('Passkey: Laptop').waitFor();
  });

  it('adds an app by its QR code, and logs in with its code', async () => {
    await button('Set up an app').click();
    await app.page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    const secret = /[A-Z2-7]{32}/.exec(await app.page.getByRole('dialog').innerText())?.[0] ?? '';
    const totp = new TOTP({ secret });
    await field('Code of the app').fill('000000');
    await button('Confirm the app').click();
    await app.page.getByText('Invalid second factor').waitFor();
    await field('Code of the app').fill(totp.generate());
    await button('Confirm the app').click();
    await app.page.getByText('Authenticator app', { exact: true }).waitFor();
    await logIn();
    await field('Code from your app, or a recovery code').fill('111111');
    await button('Log in').click();
    await app.page.getByText('Invalid second factor').waitFor();
    await field('Code from your app, or a recovery code').fill(totp.generate({ timestamp: Date.now() + 30_000 }));
    await button('Log in').click();
    await heading('Second factor');
  });
});
