import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from './support/axe.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService } from './support/browser.js';

describe.skipIf(!hasBrowser)('the page that checks a settlement', () => {
  let app: OpenedApp;
  let bundle: string;
  const directory = mkdtempSync(join(tmpdir(), 'settlement-'));

  beforeAll(async () => {
    const { clients } = await webService();
    const { owner } = clients;
    const fields = { broadcast_name: 'Proof', brodcast_service: 'sandbox', message: 'Hello' };
    const sent = await owner.call('POST', '/webhook/api/addbroadcastgsm.php', {
      ...fields,
      contacts: ['919811100002'],
    });
    const path = `/v6/api/campaigns/${String(sent.body['request_id'])}/settlement`;
    await vi.waitFor(async () => expect((await owner.call('GET', path)).status).toBe(200), {
      timeout: 60_000,
      interval: 300,
    });
    app = await openApp({ role: 'owner' });
    const { page } = app;
    await app.go(`/campaigns/${String(sent.body['request_id'])}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Settlement' }).click();
    bundle = join(directory, 'good.ndjson');
    await (await saved).saveAs(bundle);
  });
  afterAll(async () => {
    await app.close();
    rmSync(directory, { recursive: true });
  });

  it('finds a bundle of the house good, and says what is wrong with a changed one, without a request', async () => {
    const { page } = app;
    await app.go('/settlements/check');
    const field = page.getByLabel('Bundle or proof');
    await field.setInputFiles(bundle);
    await page.getByText('good.ndjson is good:').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const changed = join(directory, 'changed.ndjson');
    writeFileSync(changed, readFileSync(bundle, 'utf8').replace(/,0,"sms",/, ',1,"sms",'));
    await field.setInputFiles(changed);
    await page.getByText('The recipients are not those that were signed').waitFor();
    const other = join(directory, 'other.json');
    writeFileSync(other, 'no bundle');
    await field.setInputFiles(other);
    await page.getByText('The file is neither a bundle nor a proof.').waitFor();
    await page.setViewportSize({ width: NARROW, height: 900 });
    expect(await fitsWidth(page)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    expect(app.faults).toEqual([]);
  });
});
