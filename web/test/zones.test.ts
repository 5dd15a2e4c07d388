import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../test/support/client.js';
import { axeViolations } from './support/axe.js';
import { hasBrowser, openApp, type OpenedApp, webService } from './support/browser.js';

const NAME = 'web.kolkata';
const PASSWORD = 'Sunny-Day-7!';

/** Times of an account that does not live in UTC: Asia/Kolkata is five and a half hours ahead. */
describe.skipIf(!hasBrowser)('an account in another time zone', () => {
  let app: OpenedApp;
  let client: Client;

  beforeAll(async () => {
    const { service, clients } = await webService();
    await clients.staff.call('POST', '/v6/api/admin/accounts', {
      username: NAME,
      password: PASSWORD,
      firstname: 'Kiran',
      lastname: 'Rao',
      time_zone: 'Asia/Kolkata',
    });
    await clients.staff.call('POST', `/v6/api/admin/accounts/${NAME}/credits`, { balance: 'gsm_credits', amount: 10 });
    client = await Client.login(service.url, NAME, PASSWORD);
    app = await openApp({ role: null, path: '/login' });
    await app.page.evaluate(`sessionStorage.setItem('switchboard.token', ${JSON.stringify(client.token)})`);
  });
  afterAll(() => app.close());

  it('is asked for the zone of the browser, and changes it later', async () => {
    const { page } = app;
    const { clients } = await webService();
    await clients.staff.call('PATCH', `/v6/api/admin/accounts/${NAME}`, { time_zone: null });
    await clients.staff.call('PATCH', `/v6/api/admin/accounts/${NAME}`, { released_fields: ['time_zone'] });
    const cdp = await app.context.newCDPSession(page);
    await cdp.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
    await page.goto('/app/');
    await page.getByText('Times are shown in UTC. This browser is in Europe/Berlin.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use Europe/Berlin' }).click();
    await page.getByText('Times are in the zone Europe/Berlin').waitFor();
    await page.goto('/app/account');
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Kolkata');
    await page.getByRole('button', { name: 'Save the time zone' }).click();
    await page.getByText('Time zone saved').waitFor();
    const { body } = await client.call('GET', '/v6/api/account');
    expect(body['data']).toMatchObject({ time_zone: 'Asia/Kolkata', time_zone_chosen: true });
    await page.goto('/app/');
    await page.getByRole('list', { name: 'Balances' }).waitFor();
    expect(await page.getByText('Times are shown in').count()).toBe(0);
    await cdp.send('Emulation.setTimezoneOverride', { timezoneId: '' });
  });

  it('is shown the moments of its own day, and sends at them', async () => {
    const { page } = app;
    const id = await client.broadcast(['919811100040'], {
      broadcast_name: 'By the sun',
      schedule_time: '2031-05-06T02:00:00Z',
    });
    await page.goto(`/app/campaigns/${id}`);
    await page.getByText('2031-05-06 07:30').waitFor();
    await page.goto('/app/send');
    await page.getByText('In the time zone Asia/Kolkata. Leave empty to send now.').waitFor();
    await page.getByLabel('Name of the campaign').fill('By the moon');
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.getByLabel('Numbers', { exact: true }).fill('919811100041');
    await page.getByLabel('Send at').fill('2020-05-06T00:15');
    await page.getByText('This time has passed. Choose a later one.').waitFor();
    expect(await page.getByLabel('Send at').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Send at').fill('2031-05-06T00:15');
    await page.getByText(/^Tue 6 May 2031 00:15 \(Asia\/Kolkata\), in \d+ days$/).waitFor();
    await page.getByRole('button', { name: 'Show preview and price' }).click();
    await page.getByText('1 credit for 1 recipient').waitFor();
    await page.getByRole('button', { name: /^Schedule for / }).click();
    await page.getByRole('button', { name: 'Schedule it', exact: true }).click();
    await page.getByText('2031-05-06 00:15').waitFor();
    // the moment itself, not only its text: it is the evening before for staff, who live in UTC
    const { clients } = await webService();
    await clients.staff.call('PATCH', `/v6/api/admin/accounts/${NAME}`, { time_zone: 'UTC' });
    const list = async () => (await client.call('GET', '/v6/api/campaigns')).body['data'] as Record<string, unknown>[];
    await expect
      .poll(async () => (await list())[0]?.['scheduled_at'], { timeout: 60_000 })
      .toBe('2031-05-05T18:45:00+00:00');
    for (const { request_id: one } of await list())
      await client.call('POST', `/v6/api/campaigns/${String(one)}/cancel`);
    expect(app.faults).toEqual([]);
  });
});
