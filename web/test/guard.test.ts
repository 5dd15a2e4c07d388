import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const LOOKS = [
  [WIDE, 'light', '91982201'],
  [NARROW, 'dark', '91982202'],
] as const;

/** Terms of an account, its limits as the owner sees them, and a freeze that staff release. */
describe.skipIf(!hasBrowser).each(LOOKS)('the guard at %i px, %s', (width, theme, prefix) => {
  const username = `guarded.${String(width)}`;
  let app: OpenedApp;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    const { service, clients } = await webService();
    const account = { username, password: 'Sunny-Day-7!', firstname: 'Gita', lastname: 'Guarded', country: 'IN' };
    const made = await clients.staff.call('POST', '/v6/api/admin/accounts', account);
    expect(made.status).toBe(201);
    const { id } = made.body['data'] as { id: number };
    await service.database.dataSource.query(
      `INSERT INTO account_freezes (id, account_id, prefix, reason, evidence, times, frozen_at, until_at)
       VALUES (?, ?, ?, 'sequence', '{"numbers":11}', 3, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)`,
      [newId(), id, prefix],
    );
    app = await openApp({ role: 'staff', width, theme });
  });
  afterAll(() => app.close());

  const seen = async (name: string): Promise<void> => {
    const { page } = app;
    await page.screenshot({ path: join(PICTURES, `guard-${name}.${String(width)}.png`), fullPage: true });
    expect(await fitsWidth(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
  };

  it('is set by staff on the page of the account', async () => {
    const { page } = app;
    await app.go(`/accounts/${username}?tab=guard`);
    await page.getByText('This account has no limits of its own.').waitFor();
    await page.getByRole('button', { name: 'Strict limits' }).click();
    await page.getByRole('button', { name: 'Set the strict limits' }).click();
    await page.getByText('India').first().waitFor();
    await page.getByLabel('SMS a day').fill('9');
    await page.getByLabel('Countries').fill('IN, XX');
    await page.getByRole('button', { name: 'Save the guard' }).click();
    await page.getByText('Not valid').first().waitFor();
    await page.getByLabel('Countries').fill('IN, GB');
    await page.getByRole('button', { name: 'Save the guard' }).click();
    await page.getByText('United Kingdom').first().waitFor();
    await seen('account');
  });

  it('names frozen accounts on the first page, and releases them by a click', async () => {
    const { page } = app;
    await app.go('/');
    await page.getByText(/The guard has frozen sending of/).waitFor();
    await page.getByRole('link', { name: 'Freezes' }).last().click();
    await page.getByRole('heading', { name: 'Freezes', level: 1 }).waitFor();
    await page.getByText(`+${prefix}`).first().waitFor();
    await seen('freezes');
    await app.go(`/freezes?status=active&username=${username}`);
    await page.getByRole('button', { name: 'Release' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('No freezes').waitFor();
  });

  it('shows owners what they may send', async () => {
    const own = await openApp({ role: 'owner', width, theme });
    try {
      await own.go('/account/limits');
      await own.page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor();
      await own.page.getByText('This account has no limits of its own.').waitFor();
      expect(await axeViolations(own.page)).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
