import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const MIDDLE = 768;

/** What people send, from the inbox of the operator to the owner's reply (docs/reference/inbound-messages.md). */
describe.skipIf(!hasBrowser).each([WIDE, MIDDLE, NARROW])('inbound messages at %i px', (width) => {
  /** In both themes. */
  const look = async ({ page }: OpenedApp, name: string): Promise<void> => {
    mkdirSync(PICTURES, { recursive: true });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      await page.screenshot({ path: join(PICTURES, `${name}.${String(width)}.${colorScheme}.png`), fullPage: true });
      expect(await fitsWidth(page)).toBe(true);
      expect(await axeViolations(page)).toEqual([]);
    }
  };

  const from = `9198222${String(10_000 + width)}`;
  let staff: OpenedApp;
  let owner: OpenedApp;

  beforeAll(async () => {
    const { service, clients } = await webService();
    const put = await clients.staff.call('PUT', '/v6/api/admin/routes/inbound-web', {
      ...{ channel: 'sms', driver: 'http' },
      config: {
        url: `${service.sandboxUrl}/gateway/messages`,
        body: { to: '{{to}}', text: '{{text}}' },
        id_path: 'id',
      },
    });
    const { callback_url: callback } = put.body['data'] as { callback_url: string };
    const response = await fetch(`${service.url}${new URL(callback, service.url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from, to: '57575', text: `Is the shop open? ${String(width)}` }),
    });
    expect(response.status).toBe(200);
    staff = await openApp({ role: 'staff', width, path: '/inbox' });
    owner = await openApp({ role: 'owner', width, path: '/inbound-messages' });
  });
  afterAll(async () => {
    await staff.close();
    await owner.close();
  });

  it('are assigned to an account by staff, and answered by its owner', async () => {
    const { clients } = await webService();
    const number = { number: `8${String(width)}`, route: 'inbound-web', username: clients.owner.username };
    expect(
      (await clients.staff.call('POST', '/v6/api/admin/inbound-numbers', { ...number, keyword: 'shop' })).status,
    ).toBe(201);
    await staff.page.getByRole('button', { name: `Remove 8${String(width)}` }).waitFor();
    await look(staff, 'inbox');
    await staff.page.getByRole('button', { name: `Assign the message of ${from}` }).click();
    await staff.page.getByLabel('Username').last().fill(clients.owner.username);
    await staff.page.getByRole('button', { name: 'Assign', exact: true }).last().click();
    await staff.page.getByText('Assigned').first().waitFor();
    await owner.page
      .getByText(`Is the shop open? ${String(width)}`)
      .first()
      .waitFor();
    await look(owner, 'inbound');
    await owner.page.getByRole('button', { name: `Reply to ${from}` }).click();
    await owner.page.getByRole('textbox', { name: 'Message' }).fill('Until six.');
    await look(owner, 'reply');
    await owner.page.getByRole('button', { name: 'Send reply' }).click();
    await owner.page
      .getByText(/Reply queued for 1 credit$/)
      .first()
      .waitFor();
  });

  it('have keywords, which are refused at their field', async () => {
    const { page } = owner;
    await page.goto('/app/keywords');
    await page.getByRole('heading', { name: 'Keywords', level: 1 }).waitFor();
    await page.getByLabel('Word').fill(`Info ${String(width)}!`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Required').first().waitFor();
    await page.getByLabel('Reply').fill('We are open from 9 to 6.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('We are open from 9 to 6.').first().waitFor();
    await look(owner, 'keywords');
    await page.getByRole('button', { name: `Remove INFO ${String(width)}` }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await page.getByText('Keyword removed').first().waitFor();
  });
});
