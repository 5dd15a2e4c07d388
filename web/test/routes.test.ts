import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../../test/support/gateway.js';
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

let failures = 0;
const PICTURES = process.env['WEB_PICTURES'];

/** What staff do with routes, in a browser. */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('routes, %i px wide', (width) => {
  let service: WebService;
  let gateway: Gateway;
  let app: OpenedApp;
  const [first, second, table] = [`web-a-${width}`, `web-b-${width}`, `web-table-${width}`];

  const staff = (method: string, path: string, body?: unknown) => service.clients.staff.call(method, path, body);
  const look = async (name: string): Promise<void> => {
    if (PICTURES !== undefined) await app.page.screenshot({ path: `${PICTURES}/${name}-${width}.png`, fullPage: true });
    expect(await axeViolations(app.page)).toEqual([]);
    expect(await fitsWidth(app.page)).toBe(true);
  };

  beforeAll(async () => {
    service = await webService();
    gateway = await Gateway.open();
    for (const name of [first, second]) {
      await staff('PUT', `/v6/api/admin/routes/${name}`, { channel: 'sms', driver: 'http', config: gateway.config });
    }
    app = await openApp({ role: 'staff', width, path: '/routes' });
  });
  afterEach(async ({ task }) => {
    if (PICTURES === undefined || task.result?.state !== 'fail') return;
    await app.page.screenshot({ path: `${PICTURES}/failed-${String(++failures)}-${width}.png`, fullPage: true });
  });
  afterAll(async () => {
    await app.close();
    await gateway.close();
  });

  it('lists them with their state, and leads to one', async () => {
    const { page } = app;
    await page
      .getByRole('row', { name: new RegExp(first) })
      .getByText('up', { exact: true })
      .waitFor();
    await look('routes');
    await page.getByRole('link', { name: first }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(first) }).waitFor();
    await page.getByText('Sent in the last hour').waitFor();
    await look('route');
    await page.getByRole('tab', { name: 'Traffic' }).click();
    await page.getByRole('heading', { name: 'Last day' }).waitFor();
    await page.getByLabel('Time', { exact: true }).selectOption('month');
    await page.getByRole('heading', { name: 'Last month' }).waitFor();
    expect(page.url()).toContain('range=month');
  });

  it('tests one, and tells what the carrier answered', async () => {
    const { page } = app;
    await app.go(`/routes/${first}`);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByLabel('To', { exact: true }).fill('+44 7700 900123');
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('Accepted by the carrier').waitFor();
    await look('route-test');
    await page.getByLabel('To', { exact: true }).fill('447700900603');
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('Blocked number').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('stops one, moves what waits on it to another, and starts it again', async () => {
    const { page } = app;
    await app.go(`/routes/${first}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByLabel('Reason, for colleagues').fill('Works at night');
    await look('route-stop');
    await page.getByRole('button', { name: 'Stop the route' }).click();
    await page.getByText('Works at night').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await service.clients.owner.broadcast(['447700900111', '447700900222', '447700900333'], {
      brodcast_service: first,
    });
    await page.getByText(/Stopped by admin since \d\d:\d\d, 3 waiting/).waitFor();
    await look('route-stopped');

    await page.getByRole('button', { name: 'Move waiting messages' }).click();
    await page.getByLabel('To route').selectOption(second);
    await look('route-move');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText(`3 recipients moved to ${second}`).waitFor();
    await expect
      .poll(() => gateway.taken.filter(({ text }) => !text.startsWith('Test')).length, { timeout: 60_000 })
      .toBe(3);

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Back');
    await page.getByRole('button', { name: 'Start the route' }).click();
    await page.getByText(`${first} is running again`).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  });

  it('changes its settings, and says at which field one is refused; secrets stay', async () => {
    const { page } = app;
    await app.go(`/routes/${first}?tab=settings`);
    const speed = page.getByLabel('Messages per second');
    await speed.fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Must be a whole number from 1 to 1000000').waitFor();
    app.faults.length = 0; // the browser's own word about the 400
    await speed.fill('500');
    await look('route-settings');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Route saved').waitFor();
    const { body } = await staff('GET', `/v6/api/admin/routes/${first}`);
    expect(body).toMatchObject({
      data: { messages_per_second: 500, config: { id_path: 'id', error_text_path: 'error' } },
    });
  });

  it('keeps what its carrier asks', async () => {
    const { page } = app;
    await app.go(`/routes/${first}?tab=costs`);
    await page.getByLabel('Prefixes and costs').fill('91, 0.0045\n*, 0.05');
    await page.getByRole('button', { name: 'Save the costs' }).click();
    await page.getByText('Costs saved').waitFor();
    await look('route-costs');
    const { body } = await staff('GET', `/v6/api/admin/routes/${first}/costs`);
    expect(body).toMatchObject({
      data: {
        currency: 'EUR',
        rows: [
          { prefix: '', cost: '0.05' },
          { prefix: '91', cost: '0.0045' },
        ],
      },
    });
    app.faults.length = 0; // that there were none before
  });

  it('makes an SMPP route, whose password is not shown', async () => {
    const { page } = app;
    const name = `web-smpp-${width}`;
    await app.go('/new-route');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Port').fill('9');
    await page.getByLabel('System id').fill('me');
    await page.getByLabel('Password').fill('very-secret');
    await page.getByLabel('Binds').fill('2');
    await look('new-route');
    await page.getByRole('button', { name: 'Create the route' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor();
    await page.getByText(/Binds: 0 of 2 connected/).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByLabel('Password').inputValue()).toBe('***');
    await page.getByLabel('Window').fill('20');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = { binds: 2, config: { window: 20, password: '***', tls: false } };
    await expect
      .poll(async () => (await staff('GET', `/v6/api/admin/routes/${name}`)).body, { timeout: 60_000 })
      .toMatchObject({ data: saved });
    // then the form is filled anew
    await page.locator('button[aria-busy]').waitFor({ state: 'detached' });
    // the secret went to the former address alone, so that another one asks for it again: at its field
    await page.getByLabel('Port').fill('10');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Required with a new address').waitFor();
    app.faults.length = 0; // the browser's own word about the 400
    await app.go('/routes');
    await staff('DELETE', `/v6/api/admin/routes/${name}`);
  });

  it('writes a routing table, and explains a number by it', async () => {
    const { page } = app;
    await app.go('/new-routing-table');
    await page.getByLabel('Name').fill(table);
    await page.getByLabel('Prefixes').fill('4477');
    await page.getByLabel('Routes').fill(`${second}, ${first}`);
    await page.getByRole('button', { name: 'Save the table' }).click();
    await page.getByRole('heading', { level: 1, name: table }).waitFor();
    await look('routing-table');
    await app.go('/routing');
    await page.getByLabel('Account', { exact: true }).fill('demo');
    await page.getByLabel('Number', { exact: true }).fill('447700900123');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('a rule of a routing table').waitFor();
    await page.getByText('comes first').waitFor();
    await look('routing');
    expect(page.url()).toContain('number=447700900123');
    await app.go(`/routing/${table}`);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the table' }).click();
    await page.getByText(`${table} is removed`).waitFor();
  });

  it('shows the margin of some days', async () => {
    await app.go('/margin?group=channel');
    await app.page.locator('td[data-title="Of"]', { hasText: 'sms' }).waitFor();
    await look('margin');
    expect(app.faults).toEqual([]);
  });
});

describe.skipIf(!hasBrowser).each([WIDE, NARROW])('charts, %i px wide', (width) => {
  it.each(['staff', 'owner'] as const)('show %s what was sent, and survive a reload', async (role) => {
    const { clients } = await webService();
    await clients.owner.broadcast(['447700900111']);
    const app = await openApp({ role, width, path: '/charts?range=hour' });
    const { page } = app;
    const sums = page.locator('td[data-title="Of"]');
    await sums.getByText('sms').first().waitFor();
    await page.locator('canvas').first().waitFor();
    if (role === 'staff') {
      await page.getByLabel('By', { exact: true }).selectOption('route');
      await sums
        .getByText(/sandbox|web-/)
        .first()
        .waitFor();
      // one of those that there are, forgotten with what it was one of
      await page.getByLabel('One route', { exact: true }).selectOption('sandbox');
      await expect.poll(() => sums.allTextContents()).toEqual(['sandbox']);
      expect(page.url()).toContain('key=sandbox');
      await page.getByLabel('By', { exact: true }).selectOption('channel');
      await page.getByLabel('One channel', { exact: true }).waitFor();
      expect(page.url()).not.toContain('key=');
      await page.getByLabel('By', { exact: true }).selectOption('route');
    }
    await page.getByLabel('Time', { exact: true }).selectOption('day');
    await page.getByRole('heading', { name: /Last day/ }).waitFor();
    await page.reload();
    await page
      .getByRole('heading', { name: role === 'staff' ? 'Last day, by route' : 'Last day, by channel' })
      .waitFor();
    await page.locator('canvas').first().waitFor();
    if (PICTURES !== undefined)
      await page.screenshot({ path: `${PICTURES}/charts-${role}-${width}.png`, fullPage: true });
    expect(await axeViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    expect(app.faults).toEqual([]);
    await app.close();
  });
});
