import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../../test/support/gateway.js';
import { until } from '../../test/support/processes.js';
import { axeViolations } from './support/axe.js';
import {
  fitsWidth,
  hasBrowser,
  NARROW,
  openApp,
  type OpenedApp,
  type WebService,
  webService,
  WIDE,
} from './support/browser.js';

type Json = Record<string, unknown>;
let serial = 0;
const number = (): string => `9197${String(Date.now()).slice(-6)}${String(10 + (++serial % 80))}`;

/** What keeps a campaign, told on every page on which it looks well. */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('what holds a campaign up, %i px wide', (width) => {
  let service: WebService;
  let gateway: Gateway;
  /** takes a message and hangs up: it may have left */
  let silent: Server;
  let staff: OpenedApp;
  let owner: OpenedApp;
  const [held, other, doubtful] = [`web-held-${width}`, `web-other-${width}`, `web-doubt-${width}`];

  const call = (method: string, path: string, body?: unknown) => service.clients.staff.call<Json>(method, path, body);
  const data = async (path: string): Promise<Json> => (await call('GET', path)).body['data'] as Json;
  const send = (route: string, name: string, contacts: string[]) =>
    service.clients.owner.broadcast(contacts, { brodcast_service: route, broadcast_name: name });
  const looks = async ({ page }: OpenedApp): Promise<void> => {
    expect(await axeViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
  };

  beforeAll(async () => {
    service = await webService();
    gateway = await Gateway.open();
    silent = createServer((request) => request.on('data', () => request.socket.destroy())).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const url = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/send`;
    const configs = { [held]: gateway.config, [other]: gateway.config, [doubtful]: { ...gateway.config, url } };
    for (const [name, config] of Object.entries(configs))
      await call('PUT', `/v6/api/admin/routes/${name}`, { channel: 'sms', driver: 'http', config });
    // workers hear of it within a moment; long before anything is sent there
    await call('POST', `/v6/api/admin/routes/${held}/stop`, { reason: 'Works at night' });
    staff = await openApp({ role: 'staff', width, path: '/campaigns' });
    owner = await openApp({ role: 'owner', width, path: '/campaigns' });
  });
  afterAll(async () => {
    await staff.close();
    await owner.close();
    await gateway.close();
    silent.close();
  });

  it('says how many were possibly sent, and what settles them', async () => {
    const name = `In doubt ${String(width)}`;
    const id = await send(doubtful, name, [number(), number()]);
    await until('both are in doubt', async () => (await data(`/v6/api/campaigns/${id}`))['in_doubt'] === 2);
    await owner.go(`/campaigns?search=${id}`);
    await owner.page.getByText('2 possibly sent', { exact: true }).waitFor();
    await owner.page.getByRole('link', { name: new RegExp(name) }).click();
    const day = String((await data(`/v6/api/campaigns/${id}`))['in_doubt_until']).slice(0, 10);
    await owner.page
      .getByRole('note')
      .filter({ hasText: `2 possibly sent: to be confirmed by receipt, or at the deadline on ${day}` })
      .waitFor();
    await looks(owner);
  });

  it('says that the route is stopped, and leads to it; there the campaign stands among those that wait', async () => {
    const { page } = staff;
    const name = `Held up ${String(width)}`;
    const id = await send(held, name, [number(), number(), number()]);
    await staff.go(`/campaigns?search=${id}`);
    await page.locator('td[data-title="Route"]').getByText('stopped', { exact: true }).waitFor();
    await looks(staff);
    await page.getByRole('link', { name: new RegExp(name) }).click();
    await page
      .getByRole('note')
      .filter({ hasText: new RegExp(`Nothing is sent over ${held}: Stopped by admin`) })
      .waitFor();
    await looks(staff);
    await page.getByRole('link', { name: held, exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.locator('td[data-title="Waiting"]').getByText('3', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'demo' }).waitFor();
    const test = page.getByRole('button', { name: 'Test', exact: true });
    expect(await test.getAttribute('aria-disabled')).toBe('true');
    // it can be pressed all the same: that is how it says why
    await test.click({ force: true });
    await page.getByText('A stopped route sends nothing, not even a test.', { exact: false }).waitFor();
    await looks(staff);
    // what was moved, and is paused, names the present route and the former one
    await call('POST', `/v6/api/campaigns/${id}/pause`);
    await call('POST', `/v6/api/admin/routes/${held}/move`, { to_route: other });
    await staff.go(`/campaigns/${id}`);
    await page.getByRole('link', { name: other, exact: true }).waitFor();
    await page.getByText(`moved from ${held}`).waitFor();
    expect(await page.getByText('Nothing is sent over').count()).toBe(0);
    await call('POST', `/v6/api/campaigns/${id}/cancel`);
  });

  it('offers no retry where none would find a recipient, and says why', async () => {
    const to = number();
    await service.clients.owner.call('POST', '/v6/api/suppressions', { numbers: [to] });
    const id = await send(other, `Left out ${String(width)}`, [to, number()]);
    await until('it is over', async () => (await data(`/v6/api/campaigns/${id}`))['state'] !== 'accepted');
    await until('one has failed', async () => {
      const { status_counts: counts } = await data(`/v6/api/campaigns/${id}`);
      return (counts as Json)['FAILED'] === 1;
    });
    await owner.go(`/campaigns/${id}`);
    await owner.page.getByText('Suppressed').first().waitFor();
    const retry = owner.page.getByRole('button', { name: 'Retry failures' });
    expect(await retry.getAttribute('aria-disabled')).toBe('true');
    await retry.click({ force: true });
    await owner.page.getByText('No failed recipient can be retried', { exact: false }).waitFor();
    expect(owner.faults).toEqual([]);
  });

  it('goes back through a list after a reload, page by page', async () => {
    const { page } = owner;
    const id = async (): Promise<string> => (await page.locator('tbody code').first().textContent()) ?? '';
    const shows = (wanted: string) => page.locator('tbody code', { hasText: wanted }).waitFor();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const { body } = await service.clients.owner.call('GET', '/v6/api/campaigns?limit=3');
    const [first, second, third] = (body['data'] as { request_id: string }[]).map((row) => row.request_id);
    await owner.go('/campaigns?limit=1');
    expect(await id()).toBe(first);
    await press('Next');
    await shows(second ?? '');
    await press('Next');
    await shows(third ?? '');
    await page.reload();
    await shows(third ?? '');
    await press('Previous');
    await shows(second ?? '');
    await press('Previous');
    await shows(first ?? '');
    expect(new URL(page.url()).search).toBe('?limit=1');
  });
});
