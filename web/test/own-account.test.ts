import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../test/support/client.js';
import { WebhookReceiver } from '../../test/support/webhook-receiver.js';
import { hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

const PASSWORD = 'Sunny-Day-7!';

/** What an owner does with the own account in the browser, at both widths (docs/reference/accounts.md). */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('the own account at %i px', (width) => {
  const username = `own.${String(width)}`;
  let app: OpenedApp;
  let owner: Client;
  let url: string;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { service, clients } = await webService();
    url = service.url;
    const account = { username, password: PASSWORD, firstname: 'Olga', lastname: 'Owner' };
    await clients.staff.call('POST', '/v6/api/admin/accounts', account);
    await clients.staff.call('POST', `/v6/api/admin/accounts/${username}/credits`, {
      balance: 'gsm_credits',
      amount: 12_345,
      note: 'Invoice 4711',
    });
    owner = await Client.login(url, username, PASSWORD);
    receiver = await WebhookReceiver.open();
    app = await openApp({ role: null, width, path: '/account' });
    await app.page.getByLabel('Username or e-mail').fill(username);
    await app.page.getByLabel('Password').fill(PASSWORD);
    await app.page.getByRole('button', { name: 'Log in' }).click();
    await app.page.getByRole('heading', { name: 'This account' }).waitFor();
  });
  afterAll(async () => {
    await app.close();
    await receiver.stop();
  });

  const go = async (path: string, heading: string): Promise<void> => {
    await app.page.goto(`/app${path}`);
    await app.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const button = (name: string | RegExp) => app.page.getByRole('button', { name });
  const says = (text: string | RegExp) => app.page.getByText(text).first().waitFor();
  let hooks = 0;
  /** A webhook made by somebody else than the account's own login. @returns its URL */
  const makeHook = async (headers: Record<string, string>): Promise<string> => {
    const hook = receiver.url(`/made/${String(++hooks)}`);
    const made = await fetch(`${url}/v6/api/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ url: hook, events: ['gsm.status.update'] }),
    });
    expect(made.status).toBe(201);
    return hook;
  };
  /** Removes it. @returns how it stood */
  const endHook = async (hook: string): Promise<unknown> => {
    const found = (await list('/v6/api/webhooks')).find((each) => each['url'] === hook);
    await owner.call('DELETE', `/v6/api/webhooks/${String(found?.['id'])}`);
    return found?.['status'];
  };
  const list = async (path: string): Promise<Record<string, unknown>[]> =>
    (await owner.call('GET', path)).body['data'] as Record<string, unknown>[];

  it('shows balances and ledger, and keeps balance alerts', async () => {
    await go('/account/credits', 'Credits');
    await says('12,345');
    await says('Invoice 4711');
    await app.page.getByRole('tab', { name: 'Balance alerts' }).click();
    await app.page.getByLabel('SMS').fill('1000');
    await button('Save').click();
    await says('Balance alerts saved');
    const { body } = await owner.call('GET', '/v6/api/account/balance-alerts');
    expect(body['data']).toMatchObject({ gsm_credits: 1000, voice_credits: null });
  });

  it('asks on the first page who may send without a login, until the owner has chosen', async () => {
    await go('/', 'Home');
    await says('Anyone who knows your username can send at your expense');
    await app.page.getByRole('link', { name: 'Choose who can' }).click();
    await app.page.getByRole('heading', { name: 'Access without a login', level: 1 }).waitFor();
    await says('yes, from anywhere');
    await app.page.getByLabel('Addresses that may send by username alone').fill('home');
    await button('Save').click();
    await says('Entry 1 is not an IP address or range');
    await app.page.getByLabel('Addresses that may send by username alone').fill('203.0.113.7');
    await app.page.getByLabel('Reports and templates need').check();
    await button('Save').click();
    await says('Settings saved');
    await says('from 203.0.113.7');
    const { body } = await owner.call('GET', '/v6/api/account/security');
    expect(body['data']).toMatchObject({ protect_reports: true, body_username_addresses: ['203.0.113.7'] });
    await go('/', 'Home');
    await app.page.getByRole('list', { name: 'Balances' }).waitFor();
    expect(await app.page.getByText('Choose who can').count()).toBe(0);
  });

  it('asks on the first page in which country the numbers are, and keeps the choice', async () => {
    await go('/', 'Home');
    await says('Which country are numbers without a country code from?');
    await app.page.getByRole('link', { name: 'Choose the country' }).click();
    await app.page.getByRole('heading', { name: 'This account', level: 1 }).waitFor();
    await app.page.getByLabel('Country', { exact: true }).selectOption({ label: 'India' });
    await app.page.getByLabel('Legacy endpoints refuse').check();
    await app.page.getByRole('button', { name: 'Save', exact: true }).click();
    await says('Numbers saved');
    const { body } = await owner.call('GET', '/v6/api/account');
    expect(body['data']).toMatchObject({ country: 'IN', country_chosen: true, strict_numbers: true });
    await owner.call('PATCH', '/v6/api/account/numbers', { strict_numbers: false });
    await go('/', 'Home');
    await app.page.getByRole('list', { name: 'Balances' }).waitFor();
    expect(await app.page.getByText('without a country code').count()).toBe(0);
  });

  it('shows usage by a group, and hands it out as a file', async () => {
    await owner.call('POST', '/webhook/api/addbroadcastgsm.php', {
      broadcast_name: 'Used',
      brodcast_service: 'sandbox',
      contacts: ['919800000001'],
      message: 'Hello',
    });
    await go('/account/usage?group=channel', 'Usage');
    await app.page.getByRole('cell', { name: /sms/ }).first().waitFor();
    await says(/Stored now: [\d.]+ (bytes|KB|MB) of 1 GB/);
    const [download] = await Promise.all([app.page.waitForEvent('download'), button('Export CSV').click()]);
    expect(download.suggestedFilename()).toBe('usage-own.csv');
  });

  it('makes an API key, shown once, and revokes it; the first choice is not to', async () => {
    await go('/account/api-keys', 'API keys');
    await button('New API key').click();
    await app.page.getByLabel('Name').fill('Shop');
    await app.page.getByLabel(/webhooks/).check();
    await app.page.getByLabel('Expires', { exact: true }).fill('2099-12-31');
    await app.page.getByLabel('Requests per day').fill('5000');
    await app.page.getByLabel('Allowed addresses').fill('not an address');
    await button('Create the key').click();
    await says(/is not an IP address or range/);
    await app.page.getByLabel('Allowed addresses').fill('127.0.0.1');
    await button('Create the key').click();
    const key = await app.page.locator('dialog code').innerText();
    expect(key).toMatch(/^swb_live_/);
    await button(/^Copy/).click();
    expect(await app.page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await button('I have saved it').click();
    await button('Revoke Shop').waitFor();
    expect(await app.page.getByText(key).count()).toBe(0);

    const hook = await makeHook({ 'x-api-key': key });
    await button('Revoke Shop').click();
    expect(await app.page.evaluate('document.activeElement.textContent')).toBe('Back');
    await app.page.keyboard.press('Enter');
    expect(await list('/v6/api/account/api-keys')).toMatchObject([
      { scopes: ['webhooks'], expires_at: '2099-12-31 23:59:59', max_per_day: 5000 },
    ]);
    await button('Revoke Shop').click();
    await says(`Webhook to ${hook}`);
    await app.page.getByLabel('Revoke what it created').check();
    await button('Revoke the key').click();
    await says('API key revoked');
    expect(await list('/v6/api/account/api-keys')).toEqual([]);
    expect(await endHook(hook)).toBe('disabled');
  });

  it('makes a webhook, tests it, sees its tries, sends an event again, rotates the secret, turns it off and on', async () => {
    const address = receiver.url('/own');
    await go('/account/webhooks', 'Webhooks');
    await button('New webhook').click();
    await app.page.getByLabel('Address').fill(address);
    const boxes = await app.page.getByRole('dialog').getByRole('checkbox').all();
    expect(boxes.length).toBeGreaterThan(8);
    for (const box of boxes) {
      expect(await box.isChecked()).toBe(true); // every event, until one takes some away
      await box.uncheck();
    }
    await button('Create the webhook').click();
    await says('Choose or enter at least one');
    await app.page.getByLabel('Completed campaigns').check();
    await button('Create the webhook').click();
    await app.page.getByText(/^whsec_/).waitFor();
    await button('I have saved it').click();
    await app.page.getByRole('link', { name: address }).click();
    await button('Send a test event').click();
    await says('The test event was delivered: 200');
    expect(receiver.to('/own')).toHaveLength(1);
    await app.page.getByText('test event', { exact: true }).waitFor();

    const answer = await owner.call('POST', '/webhook/api/addbroadcastgsm.php', {
      broadcast_name: 'Told',
      brodcast_service: 'sandbox',
      contacts: ['919800000001'],
      message: 'Hello',
    });
    expect(answer.status).toBe(200);
    await expect.poll(() => receiver.to('/own').length, { timeout: 60_000 }).toBe(2);
    await app.page.reload();
    const [told] = receiver.to('/own').slice(-1);
    await button(`Send ${String(told?.id)} again, attempt 1`).click();
    await says('The event is being sent again');
    await expect.poll(() => receiver.to('/own').length, { timeout: 60_000 }).toBe(3);

    await button('New secret').click();
    await button('Create a new secret').click();
    await app.page.getByText(/^whsec_/).waitFor();
    await button('I have saved it').click();
    await button('Turn off').click();
    await says('Disabled by the account');
    await button('Turn on').click();
    await says('The webhook is active again');
    await button('Delete').click();
    await button('Delete the webhook').click();
    await app.page.getByText('No webhooks').waitFor();
  });

  it('adds to the stop list, searches it, takes off, and imports a file', async () => {
    await go('/account/stop-list', 'Stop list');
    await app.page.getByRole('textbox', { name: 'Numbers' }).fill('12');
    await button('Add to the stop list').click();
    await says('Has fewer than 8 digits');
    await app.page.getByRole('textbox', { name: 'Numbers' }).fill('4915112345678\n4915187654321');
    await button('Add to the stop list').click();
    await says('2 added, 0 were on the list');
    await app.page.getByLabel('CSV file').setInputFiles({
      name: 'stop.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('number\n4915112345699\nnone\n'),
    });
    await button('Import').click();
    await says(/2 lines: 1 added, 0 were on the list, 1 without a number \(line 3: “none”\)/);
    await go('/account/stop-list?number=4915187654321', 'Stop list');
    await button('Remove 4915187654321').click();
    await button('Remove it').click();
    await says('This number is not on the list');
    expect((await list('/v6/api/suppressions')).map(({ number }) => number)).toEqual([
      '4915112345678',
      '4915112345699',
    ]);
  });

  it('makes, changes and removes people', async () => {
    await go('/account/people', 'People');
    await button('New person').click();
    const person = `pat.${String(width)}`;
    await app.page.getByLabel('Username').fill(person);
    await app.page.getByLabel('First name').fill('Pat');
    await app.page.getByLabel('Last name').fill('Person');
    await app.page.getByLabel('Password').fill('short');
    await button('Create the person').click();
    await says('Password must be at least 8 characters');
    await app.page.getByLabel('Password').fill(PASSWORD);
    await button('Create the person').click();
    await says('Person created');
    const hook = await makeHook({ authorization: `Bearer ${(await Client.login(url, person, PASSWORD)).token}` });
    await button(`Change ${person}`).click();
    await app.page.getByLabel('Role').selectOption('manager');
    await app.page.getByLabel('May log in').uncheck();
    await button('Save').click();
    await says('Person saved');
    expect(await list('/v6/api/account/users')).toMatchObject([
      { username: person, is_active: false, role: 'manager' },
    ]);
    // what the person made has ended with its right
    expect(await endHook(hook)).toBe('disabled');
    await button(`Delete ${person}`).click();
    await button('Delete the person').click();
    await says('Person deleted');
  });

  it('reads its own log', async () => {
    await go('/account/log', 'Activity log');
    await says('User: remove');
    await app.page.getByLabel('Show').selectOption('login');
    await says('logged in');
    expect(await app.page.getByText('User: remove').count()).toBe(0);
  });

  it('changes its password, which ends the session', async () => {
    const made = await owner.call('POST', '/v6/api/account/api-keys', { name: 'Old' });
    const hook = await makeHook({ 'x-api-key': String((made.body['data'] as Record<string, unknown>)['key']) });
    await go('/account/password', 'Password');
    await app.page.getByLabel('Close the logins of all people too').check();
    expect(await app.page.getByText(`Webhook to ${hook}`).count()).toBe(0);
    await app.page.getByLabel('Revoke all API keys too').check();
    await says(`Webhook to ${hook}`);
    await app.page.getByLabel('Revoke what they created').check();
    await app.page.getByLabel('Current password').fill('Wrong-Day-7!');
    await app.page.getByLabel('New password', { exact: true }).fill('Rainy-Day-8!');
    await app.page.getByLabel('New password again').fill('Rainy-Day-9!');
    await button('Change the password').click();
    await says('The passwords differ');
    await app.page.getByLabel('New password again').fill('Rainy-Day-8!');
    await app.page.getByLabel('Current password').fill(PASSWORD);
    await button('Change the password').click();
    await app.page.getByRole('button', { name: 'Log in' }).waitFor();
    owner = await Client.login(url, username, 'Rainy-Day-8!');
    expect(await list('/v6/api/account/api-keys')).toEqual([]);
    expect(await endHook(hook)).toBe('disabled');
  });
});
