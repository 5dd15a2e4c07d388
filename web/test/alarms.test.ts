import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const MESSAGE = 'Route carrier-one is down: connect ECONNREFUSED 203.0.113.5:2775';
/** The one of these tests: what other files of the run did may ring too. */
const downAlarm = (page: OpenedApp['page']) =>
  page.getByRole('article', { name: 'Route down' }).filter({ hasText: MESSAGE });

/** What rings, what to do, and that it is looked after. */
describe.skipIf(!hasBrowser)('alarms', () => {
  let app: OpenedApp;

  const add = async (kind: string, subject: string, message: string, state: 'active' | 'past'): Promise<void> => {
    const { service } = await webService();
    await service.database.dataSource.query(
      `INSERT INTO alarms (id, kind, subject_type, subject, open_key, state, message, first_seen_at, raised_at, last_seen_at, cleared_at)
       VALUES (?, ?, 'route', ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), IF(? = 'past', UTC_TIMESTAMP(3), NULL))`,
      [newId(), kind, subject, state === 'active' ? `${kind} ${subject}` : null, state, message, state],
    );
  };

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    await add('route_down', 'carrier-one', MESSAGE, 'active');
    await add('receipts_unmatched', 'carrier-two', '150 receipts of route carrier-two belong to no message', 'active');
    await add('receipts_silent', 'carrier-three', 'Route carrier-three has sent 40 messages', 'past');
    app = await openApp({ role: 'staff' });
  });
  afterAll(() => app.close());

  it('stand on the first page of staff, with what to do, beside what leaves, runs and waits', async () => {
    const { page } = app;
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    const alarm = downAlarm(page);
    await alarm.getByText('Read the last error of the route').waitFor();
    expect(await alarm.getByRole('link', { name: 'What to do' }).getAttribute('href')).toBe(
      '/docs/guide/operate/runbook#route_down',
    );
    expect(await alarm.getByRole('link', { name: 'Route carrier-one' }).getAttribute('href')).toBe(
      '/app/routes/carrier-one',
    );
    for (const part of ['Traffic', 'Running campaigns', 'Waiting for review']) {
      await page.getByRole('region', { name: part }).waitFor();
    }
    await page.screenshot({ path: join(PICTURES, 'now-with-alarms-wide.png'), fullPage: true });
    expect(app.faults).toEqual([]);
  });

  it('stand beside a line of the endpoints that fail, which leads to them', async () => {
    const { service, clients } = await webService();
    const hook = 'http://127.0.0.1:9/fails-now';
    const made = await clients.owner.call('POST', '/v6/api/webhooks', { url: hook, events: ['gsm.status.update'] });
    const { id } = made.body['data'] as { id: number };
    await service.database.dataSource.query(
      'UPDATE webhook_endpoints SET failing_since = UTC_TIMESTAMP(3) WHERE id = ?',
      [id],
    );
    await app.go('/');
    await app.page.getByRole('link', { name: /^(1 endpoint fails|[\d,]+ endpoints fail)$/ }).click();
    await app.page.waitForURL(/\/webhooks\?failing=true/);
    await app.page.getByText(hook).first().waitFor();
    await clients.owner.call('DELETE', `/v6/api/webhooks/${String(id)}`);
    await app.go('/');
  });

  it('are counted in the bar at every width, and lead to their page', async () => {
    const { page } = app;
    await page.setViewportSize({ width: NARROW, height: 844 });
    const { service } = await webService();
    const [row] = await service.database.dataSource.query<{ total: string }[]>(
      `SELECT COUNT(*) AS total FROM alarms WHERE state = 'active'`,
    );
    expect(Number(row?.total)).toBeGreaterThanOrEqual(2);
    const mark = page.getByRole('banner').getByRole('link', { name: `${String(row?.total)} alarms`, exact: true });
    await mark.waitFor();
    expect(await mark.isVisible()).toBe(true);
    expect(await fitsWidth(page)).toBe(true);
    await mark.click();
    await page.getByRole('heading', { name: 'Alarms', exact: true }).waitFor();
    await page.getByRole('article', { name: 'Receipts unmatched' }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'alarms-narrow.png'), fullPage: true });
  });

  it('are acknowledged by name, by the keyboard alone, and cleared ones stand in the history', async () => {
    const { page } = app;
    const alarm = downAlarm(page);
    const button = alarm.getByRole('button', { name: 'Acknowledge' });
    await button.focus();
    await page.keyboard.press('Enter');
    await alarm.getByText('Acknowledged by admin at').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Route carrier-three has sent 40 messages').waitFor();
    expect(page.url()).toContain('tab=past');
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot({ path: join(PICTURES, 'alarms-past-wide.png'), fullPage: true });
    expect(app.faults).toEqual([]);
  });

  it('are none of the owner’s business', async () => {
    const owner = await openApp({ role: 'owner' });
    try {
      expect(await owner.page.getByRole('link', { name: /alarm/i }).count()).toBe(0);
    } finally {
      await owner.close();
    }
  });
});
