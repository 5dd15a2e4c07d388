import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, openBrowser } from '../support/browser.js';
import { Client, numbers } from '../support/client.js';
import { commonService, type Service } from '../support/processes.js';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const PATIENCE = { timeout: 60_000 };
const SANDBOX_ROUTES = ['sandbox', 'sandbox-http', 'sandbox-chat', 'sandbox-voice'];

/** The admin page in a real browser against the whole service; without a Chromium (and no right to install one) it is left out. */
describe.skipIf(findChromium() === null)('the admin page in Chromium', () => {
  let service: Service;
  let admin: Client;
  let client: Client;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    service = await commonService(1);
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000 });
    browser = await openBrowser();
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE.timeout);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.location().url.includes('/auth/login')) faults.push(message.text());
    });
  });
  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
  });

  const open = async (tab: string): Promise<void> => page.click(`#tabs a[href="#${tab}"]`);
  const card = (text: string) => page.locator('li.card', { hasText: text });
  const logIn = async (name: string, password: string): Promise<void> => {
    await page.fill('#name', name);
    await page.fill('#password', password);
    await page.click('button[type=submit]');
  };
  const state = async (requestId: string): Promise<string> => client.state(requestId);

  it('lets only staff in', async () => {
    await page.goto(`${service.url}/admin`);
    await logIn('demo', 'Demo-1234!');
    await page.getByText('This account is not a staff account.').waitFor();
    await logIn('admin', 'wrong');
    await page.getByText('Invalid credentials').waitFor();
    await logIn('admin', 'Admin-1234!');
    await page.getByText('Nothing is being sent').waitFor();
    const cookies = await context.cookies(`${service.url}/admin`);
    expect(cookies.map(({ name, httpOnly, path, sameSite }) => ({ name, httpOnly, path, sameSite }))).toEqual([
      { name: 'admin_session', httpOnly: true, path: '/admin', sameSite: 'Strict' },
    ]);
    expect(page.url()).toBe(`${service.url}/admin`);
  });

  it('shows a broadcast until it has finished, under a hostile name', async () => {
    const requestId = await client.broadcast(numbers(300), { broadcast_name: HOSTILE });
    const shown = card(requestId);
    await shown.locator('h3').waitFor();
    expect(await shown.locator('h3').textContent()).toBe(HOSTILE);
    await shown.locator('.chip.completed').waitFor();
    expect(await shown.locator('[role=progressbar]').getAttribute('aria-valuenow')).toBe('100');
    expect(await state(requestId)).toBe('completed');
    expect(await page.locator('figure svg polygon').count()).toBeGreaterThan(0);
  });

  it('shows what is live however many campaigns are newer, and finds the others', async () => {
    const waiting = await client.broadcast(numbers(2), { broadcast_name: 'Old', schedule_time: '2035-01-01 10:00:00' });
    for (let i = 0; i < 52; i++) await client.broadcast(numbers(1), { broadcast_name: `Newer ${i}` });
    await page.getByText('Search finds the others.').waitFor();
    await page.locator('section[aria-labelledby=live-title]').getByText(waiting).waitFor();
    await page.fill('#search', 'newer 0');
    await card('Old').waitFor({ state: 'detached' });
    await card('Newer 0').waitFor();
    await page.fill('#search', '');
    await card('Old').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Nothing is being sent').waitFor();
  });

  it('says when the API is away, and goes on when it is back', async () => {
    const heard = faults.length;
    await page.route('**/v6/api/**', (route) => route.abort());
    await page.getByText('Out of date: The API does not answer.').waitFor();
    await page.unroute('**/v6/api/**');
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.locator('#live:not(.bad)').waitFor();
    faults.splice(heard); // the browser's own words about what we cut off
  });

  it('approves a voice campaign whose recording can be heard, and rejects another', async () => {
    const ids: string[] = [];
    for (const name of [`Call ${HOSTILE}`, 'Unwanted']) {
      const { body } = await client.call('POST', '/v6/api/v1/voice/send', {
        broadcast_name: name,
        message: 'Good morning',
        contacts: ['919812345678'],
      });
      ids.push(String(body['request_id'] ?? (body['data'] as Record<string, unknown> | undefined)?.['request_id']));
    }
    const [wanted = '', unwanted = ''] = ids;
    await open('voice');
    await card(wanted).locator('audio').waitFor();
    const length = `document.querySelector('[data-id="${wanted}"] audio')?.duration`;
    await expect.poll(() => page.evaluate(length), PATIENCE).toBeGreaterThan(0.2);
    await card(wanted).getByRole('button', { name: 'Approve' }).click();
    await card(wanted).waitFor({ state: 'detached' });
    await card(unwanted).getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await card(unwanted).waitFor({ state: 'detached' });
    await client.completed(wanted);
    expect(await state(unwanted)).toBe('rejected');
  });

  it('plays nothing that is not kept with the campaign, even where the address looks like one of ours', async () => {
    const { body } = await client.call('POST', '/v6/api/v1/voice/send', {
      broadcast_name: 'Of an earlier version',
      message: 'Press 1',
      contacts: ['919812345678'],
    });
    const id = String(body['request_id']);
    const pending = '**/v6/api/admin/campaigns?state=pending_approval*';
    const clip = `https://files.example/audio/${'a'.repeat(32)}.wav`;
    const row = { digit: '1', action: 'audio', clip, source: null, after: 'hangup', number: null };
    await page.route(pending, async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { data: Record<string, unknown>[] };
      const data = list.data.map((one) => ({ ...one, menu: [{ ...row, fallback_numbers: [], rows: [] }] }));
      await route.fulfill({ response, json: { ...list, data } });
    });
    await open('voice');
    await card(id).getByText(`Cannot be played here: ${clip}`).waitFor();
    expect(await card(id).locator('.menu audio').count()).toBe(0);
    await page.unroute(pending);
    await card(id).getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await card(id).waitFor({ state: 'detached' });
  });

  it('approves a template and rejects another with a reason', async () => {
    for (const name of ['spring_sale', 'autumn_sale']) {
      const fields = {
        template_name: name,
        category: 'marketing',
        template_body: `${HOSTILE} {{1}}`,
        body_examples: ['<b>Jane</b>'],
      };
      await client.call('POST', '/webhook/api/createTemplates.php', fields);
    }
    await open('templates');
    await card('spring_sale').getByText('<b>Jane</b>').waitFor();
    await card('spring_sale').getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Enter');
    await card('spring_sale').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Approve: autumn_sale');
    await card('autumn_sale').getByRole('button', { name: 'Reject' }).click();
    await page.keyboard.type('Not in autumn');
    await page.getByRole('button', { name: 'Reject it' }).click();
    await card('autumn_sale').waitFor({ state: 'detached' });
    const { body } = await admin.call<{ data: { template_name: string; status: number; reason: string | null }[] }>(
      'GET',
      '/v6/api/admin/templates',
    );
    const sales = body.data.filter(({ template_name }) => template_name.endsWith('_sale'));
    expect(sales.map(({ template_name, status, reason }) => [template_name, status, reason])).toEqual([
      ['autumn_sale', 2, 'Not in autumn'],
      ['spring_sale', 1, null],
    ]);
  });

  it('judges what stands on the page, and says when the owner was faster', async () => {
    const heard = faults.length;
    const fields = { template_name: 'winter_sale', category: 'marketing', template_body: 'Harmless' };
    const { body } = await client.call<{ template_id: number }>('POST', '/webhook/api/createTemplates.php', fields);
    await card('winter_sale').getByRole('button', { name: 'Reject' }).click();
    await client.call('PUT', `/v6/api/templates/${body.template_id}`, { template_body: 'Something else' });
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByText('winter_sale: Changed since you looked').waitFor();
    await card('Something else').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await card('winter_sale').waitFor({ state: 'detached' });
    faults.splice(heard); // the browser's own word about the 409
  });

  it('takes a profile request up and completes it', async () => {
    await client.call('POST', '/v6/api/account/profile-request', { verified_name: `Acme ${HOSTILE}` });
    await open('profiles');
    const shown = card('Acme');
    await shown.getByRole('button', { name: 'Take up' }).click();
    await shown.locator('.chip', { hasText: 'processing' }).waitFor();
    await shown.getByRole('button', { name: 'Complete' }).click();
    await page.getByText('Nothing waits').waitFor();
  });

  it('approves a sender id, and rejects another', async () => {
    for (const [sender_id, use_case] of [
      ['ACME', HOSTILE],
      ['57575', `Orders ${'w'.repeat(490)}`],
    ]) {
      await client.call('POST', '/v6/api/sender-ids', { sender_id, channel: 'sms', use_case });
    }
    await open('senders');
    await card('57575').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await card('ACME').getByRole('button', { name: 'Approve' }).click();
    await card('ACME').waitFor({ state: 'detached' });
    await card('57575').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByText('Nothing waits').waitFor();
    const { body } = await client.call<{ data: { sender_id: string; status: string }[] }>('GET', '/v6/api/sender-ids');
    expect(body.data.map(({ sender_id, status }) => [sender_id, status])).toEqual([
      ['57575', 'rejected'],
      ['ACME', 'approved'],
    ]);
  });

  it('shows the routes and that the workers reach them', async () => {
    await open('routes');
    await page.locator('tr', { hasText: 'sandbox-voice' }).locator('.health.up').waitFor();
    const { body } = await admin.call<{ data: { name: string }[] }>('GET', '/v6/api/admin/routes');
    const names = body.data.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(SANDBOX_ROUTES));
    expect(await page.locator('tbody tr').count()).toBe(names.length);
    for (const name of names) expect(await page.locator('tr', { hasText: name }).count(), name).toBeGreaterThan(0);
  });

  it('is worked by keyboard alone, and fits a narrow screen', async () => {
    await page.reload();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.setViewportSize({ width: 360, height: 740 });
    for (const tab of ['campaigns', 'templates', 'voice', 'profiles', 'senders', 'routes']) {
      await open(tab);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), tab).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('ran nothing of what customers wrote, and no script failed', async () => {
    expect(await page.evaluate('"hacked" in window')).toBe(false);
    expect(faults).toEqual([]);
  });

  it('opens the queue dashboard with the same session', async () => {
    await page.goto(`${service.url}/admin/queues`);
    await page.getByRole('link', { name: 'unofficial' }).first().waitFor();
  });

  it('leads to the login, and says why, when the token counts no more', async () => {
    await page.goto(`${service.url}/admin`);
    await page.locator('#live:not(:empty)').waitFor();
    const heard = faults.length;
    await page.evaluate("sessionStorage.setItem('switchboard.token', 'x.y.z')");
    await page.getByText('Your session has ended. Please log in again.').waitFor();
    faults.splice(heard);
    await logIn('admin', 'Admin-1234!');
    await page.waitForURL('**/admin');
  });

  it('says so when the browser does not keep the session', async () => {
    const other = await browser.newContext();
    const strange = await other.newPage();
    await strange.route('**/auth/login', async (route) => {
      const response = await route.fetch();
      const { 'set-cookie': _cookie, ...headers } = response.headers();
      await other.clearCookies();
      await route.fulfill({ response, headers });
    });
    await strange.goto(`${service.url}/admin/login`);
    await strange.fill('#name', 'admin');
    await strange.fill('#password', 'Admin-1234!');
    await strange.click('button[type=submit]');
    await strange.getByText('The browser did not keep the session').waitFor();
    await other.close();
  });

  it('logs out of page and dashboard', async () => {
    await page.goto(`${service.url}/admin`);
    await page.click('#logout');
    await page.waitForURL('**/admin/login');
    expect(await context.cookies(`${service.url}/admin`)).toEqual([]);
    await page.goto(`${service.url}/admin/queues`);
    expect(page.url()).toBe(`${service.url}/admin/login`);
  });

  it('Swagger UI: authorise, execute', async () => {
    const answer = await fetch(`${service.url}/v6/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email_or_username: 'admin', password: 'Admin-1234!' }),
    });
    const { token } = (await answer.json()) as { token: string };
    await page.goto(`${service.url}/docs`);
    await page.locator('button.authorize').first().click();
    const scheme = page.locator('.auth-container', { hasText: 'bearer' }).filter({ hasText: 'Token of the login' });
    await scheme.locator('input').fill(token);
    await scheme.locator('button.authorize').click();
    await page.locator('.dialog-ux button.btn-done').first().click();
    const operation = page
      .locator('.opblock', { hasText: '/v6/api/admin/campaigns' })
      .filter({ hasText: 'GET' })
      .first();
    await operation.locator('button.opblock-summary-control').click();
    await operation.locator('button.try-out__btn').click();
    await operation.locator('button.execute').click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  });
});
