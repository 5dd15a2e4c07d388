import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../test/support/client.js';
import { WebhookReceiver } from '../../test/support/webhook-receiver.js';
import { hasBrowser, NARROW, openApp, type OpenedApp, type Role, webService, WIDE } from './support/browser.js';

const PASSWORD = 'Sunny-Day-7!';

const open = async (role: Role, width: number) => {
  const app: OpenedApp = await openApp({ role, width, path: '/accounts' });
  return {
    app,
    page: app.page,
    go: async (path: string, heading: string): Promise<void> => {
      await app.page.goto(`/app${path}`);
      await app.page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor();
    },
    button: (name: string | RegExp) => app.page.getByRole('button', { name }),
    tab: (name: string) => app.page.getByRole('tab', { name }).click(),
    says: (text: string | RegExp) => app.page.getByText(text).first().waitFor(),
  };
};

/** What staff do with accounts in the browser, at both widths (docs/reference/admin.md). */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('accounts for staff at %i px', (width) => {
  const username = `shop.${String(width)}`;
  let staff: Client;
  let url: string;
  let receiver: WebhookReceiver;
  let at: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    const { service, clients } = await webService();
    staff = clients.staff;
    url = service.url;
    receiver = await WebhookReceiver.open();
    at = await open('staff', width);
  });
  afterAll(async () => {
    await at.app.close();
    await receiver.stop();
  });

  const account = async (): Promise<Record<string, unknown>> =>
    (await staff.call('GET', `/v6/api/admin/accounts/${username}`)).body['data'] as Record<string, unknown>;

  it('makes an account, finds it, and changes settings and permissions', async () => {
    const { page, button, says, go } = at;
    await page.getByRole('link', { name: 'New account' }).click();
    await page.getByLabel('Username', { exact: true }).fill(username);
    await page.getByLabel('First name').fill('Sam');
    await page.getByLabel('Last name').fill('Shop');
    await page.getByLabel('Password').fill('short');
    await button('Create the account').click();
    await says('Password must be at least 8 characters');
    await page.getByLabel('Password').fill(PASSWORD);
    await button('Create the account').click();
    await page.getByRole('heading', { name: username, level: 1 }).waitFor();
    await go('/accounts', 'Accounts');
    await page.getByLabel('Search', { exact: true }).fill(username);
    await page.waitForURL(/search=shop/);
    await page.getByRole('link', { name: username }).click();
    await page.getByRole('heading', { name: username, level: 1 }).waitFor();

    await page.getByLabel('Expires').fill('someday');
    await button('Save the settings').click();
    await says('Not valid');
    await page.getByLabel('Expires').fill('2099-12-31');
    await page.getByLabel('Time zone').fill('Asia/Kolkata');
    await page.getByLabel('Always require a token').check();
    await button('Save the settings').click();
    await says('Account saved');
    await page.getByLabel('rcs').check();
    await button('Save the permissions').click();
    await says('Permissions saved');
    const { permissions, ...data } = await account();
    expect(data).toMatchObject({ time_zone: 'Asia/Kolkata', require_token: true, public_lookup: true });
    expect(data['expires_at']).toMatch(/^2099-12-31/);
    expect(permissions).toMatchObject({ rcs: true, gsm: false });
  });

  it('grants credits with a note, takes back after a question, and shows ledger and proof', async () => {
    const { page, button, says, tab } = at;
    await tab('Credits');
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('500');
    await page.getByLabel('Note').fill('Invoice 4711');
    await button('Apply').click();
    await says('SMS: 500 credits now');
    await page.getByRole('cell', { name: 'Invoice 4711' }).waitFor();
    await page.getByRole('radio', { name: 'Take back' }).check();
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('900');
    await button('Apply').click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await button('Take them back').click();
    await says('Insufficient credits. Available: 500, Required: 900');
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('200');
    await button('Apply').click();
    await button('Take them back').click();
    await says('SMS: 300 credits now');
    expect(await page.getByText('adds up').count()).toBe(6);
  });

  it('writes a rate plan, gives it to the account, and removes it', async () => {
    const { page, button, says, go } = at;
    const plan = `plan.${String(width)}`;
    await go('/rates', 'Rate plans');
    await page.getByLabel('Name').fill(plan);
    await button('Continue to prices').click();
    await page.getByRole('heading', { name: `New rate plan ${plan}` }).waitFor();
    await button('Add a price').click();
    await page.getByLabel('Prefix of price 1').fill('91');
    await page.getByLabel('Credits of price 1').fill('many');
    await button('Create the plan').click();
    await says(/must be a whole number/i);
    await page.getByLabel('Credits of price 1').fill('2');
    await button('Create the plan').click();
    await page.getByRole('heading', { name: `Rate plan ${plan}`, exact: true }).waitFor();
    await go(`/accounts/${username}`, username);
    await page.getByLabel('Rate plan').selectOption(plan);
    await button('Save the settings').click();
    await says('Account saved');
    expect(await account()).toMatchObject({ rate_plan: plan });
    await page.getByLabel('Rate plan').selectOption('');
    await button('Save the settings').click();
    await expect.poll(async () => (await account())['rate_plan'], { timeout: 60_000 }).toBeNull();
    await go(`/rates/${plan}`, `Rate plan ${plan}`);
    await button('Remove').first().click();
    await button('Remove the plan').click();
    await says('Rate plan removed');
  });

  it('revokes a key, shows people, and keeps the stop list', async () => {
    const { page, button, says, go, tab } = at;
    const owner = await Client.login(url, username, PASSWORD);
    const made = await owner.call('POST', '/v6/api/account/api-keys', { name: 'Leaked' });
    const hook = await fetch(`${url}/v6/api/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': String((made.body['data'] as Record<string, unknown>)['key']),
      },
      body: JSON.stringify({ url: receiver.url('/secret-path'), events: ['gsm.status.update'] }),
    });
    expect(hook.status).toBe(201);
    const person = { username: `${username}.pat`, password: PASSWORD, firstname: 'Pat', lastname: 'Person' };
    await owner.call('POST', '/v6/api/account/users', person);
    await go(`/accounts/${username}?tab=keys`, username);
    await button('Revoke Leaked').click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await says(`Webhook to ${new URL(receiver.url()).origin}`);
    expect(await page.getByText('secret-path').count()).toBe(0);
    await page.getByLabel('Revoke what it created').check();
    await button('Revoke the key').click();
    await says('No API keys');
    const [webhook] = (await owner.call('GET', '/v6/api/webhooks')).body['data'] as Record<string, unknown>[];
    expect(webhook).toMatchObject({ status: 'disabled' });
    await owner.call('DELETE', `/v6/api/webhooks/${String(webhook?.['id'])}`);
    await tab('People');
    await says('Pat Person');
    expect(await button(/^Delete/).count()).toBe(0);
    await tab('Stop list');
    await page.getByRole('textbox', { name: 'Numbers' }).fill('4915112345678');
    await button('Add to the stop list').click();
    await says('1 added, 0 were on the list');
    await button('Remove 4915112345678').click();
    await button('Remove it').click();
    await says('The stop list is empty');
  });

  it('enters chat accounts of both channels, and shows where their callbacks go', async () => {
    const { page, button, says, go } = at;
    await go(`/accounts/${username}?tab=chat`, username);
    const branded = page.getByRole('region', { name: 'Branded chat account' });
    await branded.getByText('Not connected yet.').waitFor();
    await branded.getByLabel('Number', { exact: true }).fill('919812345678');
    await branded.getByLabel('Address', { exact: true }).fill('https://graph.example/v21.0/1234567');
    await branded.getByLabel('Token', { exact: true }).fill('secret-token');
    await branded.getByRole('button', { name: 'Connect' }).click();
    await says('Chat account saved');
    await branded.getByText(/\/provider\/chat\/\d+/).waitFor();
    await branded.getByText('1234567', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('secret-token');
    await branded.getByRole('button', { name: 'Remove' }).click();
    await button('Remove it').click();
    await says('Chat account removed');
    await branded.getByText('Not connected yet.').waitFor();
  });

  it('sees which webhook fails, and sends its event again', async () => {
    const { page, button, says, go } = at;
    const owner = await Client.login(url, username, PASSWORD);
    const path = `/hook-${String(width)}`;
    let isBroken = true;
    receiver.answering = () => (isBroken ? 500 : undefined);
    const hook = { url: receiver.url(path), events: ['campaign.completed'] };
    expect((await owner.call('POST', '/v6/api/webhooks', hook)).status).toBe(201);
    const sent = await owner.call('POST', '/webhook/api/addbroadcastgsm.php', {
      broadcast_name: 'Told',
      brodcast_service: 'sandbox',
      contacts: ['919800000001'],
      message: 'Hello',
    });
    expect(sent.status).toBe(200);
    await expect.poll(() => receiver.to(path).length, { timeout: 60_000 }).toBeGreaterThan(0);
    await go(`/webhooks?username=${username}&failing=true`, 'Webhooks of all accounts');
    await says('100 %');
    await page.getByRole('link', { name: hook.url }).click();
    await says('100 % (');
    isBroken = false;
    const before = receiver.to(path).length;
    await button(/^Send evt_\w+ again/)
      .first()
      .click();
    await says('The event is being sent again');
    await expect.poll(() => receiver.to(path).length, { timeout: 60_000 }).toBeGreaterThan(before);
    await go('/audit', 'Audit log');
    await page.getByLabel('Changed by').fill('admin');
    await says('Webhook: replay');
    await go(`/security-log?username=${username}`, 'Security log');
    await says('logged in');
  });

  it('closes an account after a question, and opens it again', async () => {
    const { page, button, says, go } = at;
    await go(`/accounts/${username}`, username);
    await button('Close the account').click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await page.keyboard.press('Escape');
    expect(await account()).toMatchObject({ is_active: true });
    await button('Close the account').click();
    await page.locator('dialog').getByRole('button', { name: 'Close the account' }).click();
    await says(`${username} is closed`);
    expect(await account()).toMatchObject({ is_active: false });
    await button('Open the account').click();
    await says(`${username} is open again`);
  });
});

describe.skipIf(!hasBrowser)('accounts for a reseller', () => {
  it('are its own clients, without what is of the house', async () => {
    const { clients } = await webService();
    const client = { username: 'res.client', password: PASSWORD, firstname: 'Rita', lastname: 'Roe' };
    await clients.reseller.call('POST', '/v6/api/admin/accounts', client);
    const { app, page, says } = await open('reseller', WIDE);
    await page.getByRole('link', { name: 'res.client' }).click();
    await page.getByRole('heading', { name: 'res.client', level: 1 }).waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual([
      'Account',
      'Credits',
      'Guard',
      'API keys',
      'People',
      'Sessions',
      'Stop list',
    ]);
    expect(await page.getByLabel('Rate plan').count()).toBe(0);
    await page.goto('/app/accounts/demo');
    await says('Account not found');
    await app.close();
  });
});
