import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../../test/support/gateway.js';
import { axeViolations } from './support/axe.js';
import { hasBrowser, openApp, type OpenedApp, type WebService, webService } from './support/browser.js';

type Json = Record<string, unknown>;
const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const ROUTE = 'web-gone';
const NUMBERS = ['919811155501', '919811155502'];

/** Pages say what is so: nothing sent is 0 %, and a route that is down is not fine. */
describe.skipIf(!hasBrowser)('plain facts', () => {
  let service: WebService;
  let owner: OpenedApp;
  let staff: OpenedApp;
  const call = (method: string, path: string, body?: unknown) => service.clients.staff.call<Json>(method, path, body);

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    service = await webService();
    // a port at which nobody listens
    const gateway = await Gateway.open();
    const config = gateway.config;
    await gateway.close();
    await call('PUT', `/v6/api/admin/routes/${ROUTE}`, { channel: 'sms', driver: 'http', config });
    owner = await openApp({ role: 'owner', path: '/campaigns' });
    staff = await openApp({ role: 'staff' });
  });
  afterAll(async () => {
    await call('DELETE', `/v6/api/admin/routes/${ROUTE}`);
    await owner.close();
    await staff.close();
  });

  it('a campaign that was cancelled before anything left is sent to 0 %, and its table follows its summary', async () => {
    const name = 'Never left';
    const id = await service.clients.owner.broadcast(NUMBERS, {
      broadcast_name: name,
      schedule_time: '2031-05-06T02:00:00Z',
    });
    await owner.go(`/campaigns/${id}`);
    const { page } = owner;
    await page.getByRole('cell', { name: 'Waiting for carrier' }).first().waitFor();
    await service.clients.owner.call('POST', `/v6/api/campaigns/${id}/cancel`);
    const counts = page.getByRole('list', { name: 'Recipients by status' });
    await counts.getByRole('button', { name: /Cancelled/ }).waitFor();
    // the summary has it: the table is read at once, and not by a clock of its own
    await page.getByRole('cell', { name: 'Cancelled' }).first().waitFor({ timeout: 5_000 });
    expect(await page.getByRole('cell', { name: 'Waiting for carrier' }).count()).toBe(0);
    const sent = page.getByRole('progressbar', { name: 'Sent so far' });
    expect(await sent.getAttribute('value')).toBe('0');
    await page.screenshot({ path: join(PICTURES, 'cancelled-campaign.png'), fullPage: true });
    await owner.go('/campaigns');
    const listed = page.getByRole('progressbar', { name: `Sent so far of ${name}` }).first();
    await listed.waitFor();
    expect(await listed.getAttribute('value')).toBe('0');
    expect(owner.faults).toEqual([]);
  });

  it('the first page of staff names a route that is down, and says of nothing that it is fine', async () => {
    await service.clients.owner.broadcast(NUMBERS, { broadcast_name: 'Into the void', brodcast_service: ROUTE });
    const { page } = staff;
    await staff.go('/');
    const wrong = page.getByRole('region', { name: 'Problems' });
    await wrong.getByRole('link', { name: ROUTE }).waitFor();
    await wrong
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${ROUTE} down.* since \\d`) })
      .waitFor();
    expect(await wrong.getByText('No problems.').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'now-with-route-down.png'), fullPage: true });
    expect(staff.faults).toEqual([]);
  });

  it('a route that staff stopped is a problem too, and the last day has its figures', async () => {
    await call('POST', `/v6/api/admin/routes/${ROUTE}/stop`, { reason: 'Contract' });
    const { page } = staff;
    await staff.go('/');
    const stopped = page
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${ROUTE} stopped.*Stopped by admin since \\d`) });
    await stopped.waitFor();
    expect(await page.getByText('No problems.').count()).toBe(0);
    const day = page.getByRole('region', { name: 'Last 24 hours' });
    await day.getByText('Delivery rate').waitFor();
    await day.getByRole('img', { name: /^Sent over the last 24 hours/ }).waitFor();
    await call('POST', `/v6/api/admin/routes/${ROUTE}/start`);
  });

  it('a list of staff has its times in the zone of the viewer, and says which that is', async () => {
    const { page } = staff;
    await staff.go('/campaigns');
    await page.getByText('Times are in the zone UTC.').waitFor();
    expect(await page.locator('td time').first().getAttribute('title')).toMatch(/\(UTC\)$/);
  });
});
