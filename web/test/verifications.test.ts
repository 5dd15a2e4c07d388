import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../test/support/processes.js';
import { carrierLedger } from '../../test/support/sandbox.js';
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
const HEIGHT = 900;

describe.skipIf(!hasBrowser)('verifications', () => {
  const number = `91983${String(Date.now()).slice(-7)}`;
  let web: WebService;
  let app: OpenedApp;

  const rows = () => app.page.getByRole('table', { name: 'Verifications' }).locator('tbody tr');

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    web = await webService();
    app = await openApp({ role: 'owner', path: '/verifications' });
  });
  afterAll(() => app.close());

  it('are tried: a code is sent, refused and approved', async () => {
    const { page } = app;
    await page.getByLabel('Number', { exact: true }).fill('abc');
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page
      .getByText(/has letters/i)
      .first()
      .waitFor();
    await page.getByLabel('Number', { exact: true }).fill(`+${number}`);
    await page.getByLabel('Your name in the text').fill('ACME');
    await page.getByRole('button', { name: 'Send a code' }).click();
    await rows().filter({ hasText: number }).filter({ hasText: 'pending' }).waitFor();
    const textOf = async (): Promise<string | undefined> =>
      (await carrierLedger(web.service)).find(({ to }) => to === number)?.text;
    await until('the message', async () => (await textOf()) !== undefined);
    const code = (await textOf())?.slice(0, 6) ?? '';
    await page.getByLabel('Code', { exact: true }).fill(code.startsWith('1') ? '222222' : '111111');
    await page.getByRole('button', { name: 'Check the code' }).click();
    await page.getByText('Wrong code, 4 attempts left').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Check the code' }).click();
    await rows().filter({ hasText: number }).filter({ hasText: 'approved' }).waitFor();
    await page.getByRole('table', { name: 'Conversion' }).getByText('+91').waitFor();
  });

  it('are cancelled', async () => {
    const { page } = app;
    await web.clients.owner.call('POST', '/v6/api/verifications', { to: `+${number}` });
    await page.reload();
    await page.getByRole('button', { name: `Cancel the verification of ${number}` }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await rows().filter({ hasText: 'cancelled' }).first().waitFor();
  });

  it.each([1_440, NARROW])('fit a screen of %i px in both themes', async (width) => {
    const { page } = app;
    await page.setViewportSize({ width, height: HEIGHT });
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await page.screenshot({ path: join(PICTURES, `verifications.${String(width)}.${theme}.png`), fullPage: true });
      expect(await fitsWidth(page)).toBe(true);
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});
