import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../test/support/processes.js';
import { axeViolations } from './support/axe.js';
import {
  fitsWidth,
  hasBrowser,
  NARROW,
  openApp,
  type OpenedApp,
  webService,
  type WebService,
} from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const WIDTHS = [1280, 768, NARROW];
const HEIGHT = 900;
const PATH = '/v6/api/messages';

/** A conversation of the owner with one number: an SMS and its answer. */
describe.skipIf(!hasBrowser)('messages', () => {
  const number = `91982${String(Date.now()).slice(-7)}`;
  const sent = `Your parcel is here. ${'It waits at the counter until Friday. '.repeat(6)}`.trim();
  const received = `Thank you ${number}`;
  let web: WebService;
  let app: OpenedApp;

  const dataOf = (body: Record<string, unknown>): Record<string, unknown> => body['data'] as Record<string, unknown>;
  const table = () => app.page.getByRole('table', { name: 'Messages' });
  const rows = () => table().locator('tbody tr');

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    web = await webService();
    const { service, clients } = web;
    const { owner, staff } = clients;
    const message = await owner.call('POST', PATH, {
      ...{ channel: 'sms', to: `+${number}`, text: sent, route: 'sandbox' },
      ...{ client_ref: number, metadata: { order: 1042 } },
    });
    expect(message.status).toBe(202);
    const put = await staff.call('PUT', '/v6/api/admin/routes/messages-web', {
      ...{ channel: 'sms', driver: 'http' },
      config: {
        url: `${service.sandboxUrl}/gateway/messages`,
        body: { to: '{{to}}', text: '{{text}}' },
        id_path: 'id',
      },
    });
    const callback = new URL(String(dataOf(put.body)['callback_url']), service.url).pathname;
    const response = await fetch(service.url + callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: number, to: '57576', text: received }),
    });
    expect(response.status).toBe(200);
    const assigned = `SELECT id FROM inbound_messages WHERE sender = ?`;
    const [text] = await service.database.dataSource.query<{ id: number }[]>(assigned, [number]);
    await staff.call('POST', `/v6/api/admin/inbound-messages/${String(text?.id)}/assign`, { username: owner.username });
    app = await openApp({ role: 'owner', path: `/messages?number=${number}` });
  });
  afterAll(() => app.close());

  it('of a number are shown in both directions, newest first', async () => {
    await table().waitFor();
    expect(await rows().count()).toBe(2);
    const [first, second] = [rows().nth(0), rows().nth(1)];
    expect(await first.textContent()).toMatch(new RegExp(`Received.*SMS.*${number}.*${received}.*received`, 's'));
    expect(await second.textContent()).toMatch(new RegExp(`Sent.*SMS.*${number}.*Your parcel is here`, 's'));
  });

  it.each(WIDTHS)('fit a screen of %i px in both themes', async (width) => {
    const { page } = app;
    await page.setViewportSize({ width, height: HEIGHT });
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await page.screenshot({ path: join(PICTURES, `messages-filled.${String(width)}.${theme}.png`), fullPage: true });
      expect(await fitsWidth(page)).toBe(true);
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it('are chosen by direction, number and day', async () => {
    const { page } = app;
    const direction = page.getByRole('combobox', { name: 'Direction' });
    const others = page.getByText('No message matches the filters');
    await direction.selectOption('Received');
    await rows().filter({ hasText: 'Your parcel' }).waitFor({ state: 'detached' });
    await rows().filter({ hasText: received }).waitFor();
    await direction.selectOption('Sent');
    await rows().filter({ hasText: 'Your parcel' }).waitFor();
    expect(await rows().count()).toBe(1);
    await direction.selectOption('All');
    await rows().nth(1).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await others.waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await rows().nth(1).waitFor();
    await page.getByLabel('From', { exact: true }).fill('2099-01-01');
    await others.waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows().nth(1).waitFor();
    await page.getByRole('searchbox', { name: 'Number', exact: true }).fill('+1 555');
    await page.getByText('This could not be loaded: number is invalid').waitFor();
    await page.getByRole('searchbox', { name: 'Number', exact: true }).fill(`+${number}`);
    await rows().filter({ hasText: received }).waitFor();
    expect(await rows().count()).toBe(2);
  });

  it('lead to all fields, the timeline of a recipient and the inbound messages', async () => {
    const { page } = app;
    await rows().filter({ hasText: 'Your parcel' }).getByRole('link').click();
    await page.getByRole('heading', { name: `Message to ${number}`, level: 1 }).waitFor();
    await page.getByText(sent).waitFor();
    await page.getByText('"order": 1042').waitFor();
    await page.getByRole('link', { name: 'Timeline in its campaign' }).click();
    await page.getByRole('dialog', { name: `Recipient ${number}` }).waitFor();
    await app.go(`/messages?number=${number}`);
    await rows().filter({ hasText: received }).getByRole('link').click();
    await page.getByRole('heading', { name: `Message from ${number}`, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Inbound messages of this number' }).click();
    await page.getByRole('table', { name: 'Inbound messages' }).getByText(received).waitFor();
  });

  it('of a number wait while another search of the account runs', async () => {
    const { page } = app;
    const waits = page.getByText('Another search for a number is running.');
    let isBusy = true;
    const search = async (): Promise<void> => {
      while (isBusy) await web.clients.owner.call('GET', `${PATH}?number=${number}`);
    };
    const searches = Array.from({ length: 8 }, search);
    try {
      // a search of the page may fall between two others
      await until('the page to wait for another search', async () => {
        await page.goto(`/app/messages?number=${number}`);
        await waits.or(table()).waitFor();
        return waits.isVisible();
      });
    } finally {
      isBusy = false;
      await Promise.all(searches);
    }
    await rows().nth(1).waitFor();
    expect(await waits.count()).toBe(0);
  });
});
