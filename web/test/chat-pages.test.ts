import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const BODY = '{"field":"phone_number_quality_update","value":{"event":"FLAGGED","current_limit":"TIER_1K"}}';

/** What people see of the chat provider's reports, and of templates with buttons. */
describe.skipIf(!hasBrowser)('the chat provider', () => {
  let staff: OpenedApp;
  let owner: OpenedApp;
  let templateId: number;
  const name = `tracked_${String(Date.now())}`;

  const query = async (sql: string, values: unknown[]): Promise<void> => {
    await (await webService()).service.database.dataSource.query(sql, values);
  };

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    await query(
      `INSERT INTO chat_notices (route_id, account_id, kind, digest, body, bytes, received_at)
       SELECT 1, id, 'phone_number_quality_update', 'digest of sixtee', ?, ?, UTC_TIMESTAMP(3) FROM accounts WHERE username = 'demo'`,
      [BODY, BODY.length],
    );
    await query(
      "INSERT INTO chat_notice_counts (route_id, kind, count, last_at) VALUES (1, 'phone_number_quality_update', 3, UTC_TIMESTAMP(3))",
      [],
    );
    staff = await openApp({ role: 'staff', path: '/provider-notices' });
    owner = await openApp({ role: 'owner', path: '/templates/new' });
  });
  afterAll(async () => {
    await staff.close();
    await owner.close();
  });

  it('what nothing acts on stands on a page of staff, counted by name', async () => {
    const { page } = staff;
    const counts = page.getByRole('region', { name: 'Notices by kind' });
    await counts.getByText('phone_number_quality_update').waitFor();
    await counts.getByText(/^3, the last on/).waitFor();
    await page.getByRole('table', { name: 'Provider notices' }).getByText('TIER_1K').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'provider-notices.png'), fullPage: true });
    await page.setViewportSize({ width: NARROW, height: 844 });
    expect(await fitsWidth(page)).toBe(true);
    await page.screenshot({ path: join(PICTURES, 'provider-notices-narrow.png'), fullPage: true });
    expect(staff.faults).toEqual([]);
  });

  it('a template with buttons, in a language that the list lacks', async () => {
    const { page } = owner;
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Another language').fill('Portuguese (BR)');
    await page.getByLabel('Body').fill('Olá {{1}}');
    await page.getByLabel('Other buttons').fill('Track it | https://example.com/{{1}}\nCode | SAVE10');
    await page.screenshot({ path: join(PICTURES, 'template-form.png'), fullPage: true });
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.waitForURL(/\/app\/templates\/\d+/);
    templateId = Number(page.url().split('/').at(-1));
    await page.getByText('pt_BR', { exact: true }).first().waitFor();
    await page.getByText('Track it | https://example.com/{{1}}; Code | SAVE10').waitFor();
    expect(owner.faults).toEqual([]);
  });

  it('the category that the provider set has a line on its page', async () => {
    const { page } = owner;
    await query(
      'UPDATE templates SET status = 1, category = 1, previous_category = 2, category_changed_at = UTC_TIMESTAMP(3) WHERE id = ?',
      [templateId],
    );
    await owner.go(`/templates/${String(templateId)}`);
    await page.getByText('The provider moved it from utility. Sends are now charged in this category.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'template-moved.png'), fullPage: true });
    expect(owner.faults).toEqual([]);
  });

  it('a send asks for what its buttons want, and offers to mend values', async () => {
    const { page } = owner;
    await owner.go(`/send?channel=template&template=${name}`);
    await page.getByLabel('Name of the campaign', { exact: true }).fill('Tracked');
    await page.getByLabel('Value of {{1}}').fill('Ana');
    await page.getByLabel('End of the address of "Track it"').fill('4711');
    await page.getByLabel('Code to copy').fill('SAVE10');
    await page.getByLabel(/^Replace line breaks/).check();
    await page.getByLabel('Numbers', { exact: true }).fill('919811100021');
    await page.getByRole('button', { name: 'Show preview and price', exact: true }).click();
    await page.getByText('1 credit for 1 recipient').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'template-send.png'), fullPage: true });
    expect(owner.faults).toEqual([]);
  });
});
