import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, webService, WIDE } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const MIDDLE = 768;

const LOOKS = [NARROW, MIDDLE, WIDE].flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
);

describe.skipIf(!hasBrowser).each(LOOKS)('a scheduled send at $width px, $theme', ({ width, theme }) => {
  const look = async (page: Awaited<ReturnType<typeof openApp>>['page'], name: string): Promise<void> => {
    mkdirSync(PICTURES, { recursive: true });
    const path = join(PICTURES, `${name}.${String(width)}.${theme}.png`);
    await page.screenshot({ path, fullPage: true });
    expect(await fitsWidth(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
  };

  it('says what happens if it begins late, and the campaign shows it', async () => {
    const owner = await openApp({ role: 'owner', path: '/send', width, theme });
    const { page } = owner;
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const name = `Late ${String(width)} ${theme}`;
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hello');
    await field('Numbers').fill('919822230001');
    expect(await field('If it starts late').count()).toBe(0);
    await field('Send at').fill('2031-05-06T07:30');
    expect(await field('Late after, seconds').count()).toBe(0);
    await field('If it starts late').selectOption('Cancel and refund it');
    await field('Late after, seconds').fill('120');
    await look(page, 'late-send');
    await page.getByRole('button', { name: 'Show preview and price', exact: true }).click();
    await page.getByText('1 credit for 1 recipient').waitFor();
    await page.getByRole('button', { name: /^Schedule for / }).click();
    await page.getByRole('button', { name: 'Schedule it', exact: true }).click();
    await page.waitForURL(/\/app\/campaigns\//);
    await page.getByText('cancelled and refunded after 2 min').waitFor();
    await look(page, 'late-campaign');
    const { clients } = await webService();
    const { body } = await clients.owner.call('GET', '/v6/api/campaigns?limit=20');
    const found = (body['data'] as Record<string, unknown>[]).find((row) => row['broadcast_name'] === name);
    const id = String(found?.['request_id']);
    const shown = await clients.owner.call('GET', `/v6/api/campaigns/${id}`);
    expect(shown.body['data']).toMatchObject({ late: 'expire', late_after_s: 120, started_late_s: null });
    expect((await clients.owner.call('POST', `/v6/api/campaigns/${id}/cancel`, {})).status).toBe(200);
    await owner.close();
  });
});
