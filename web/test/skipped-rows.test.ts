import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, WIDE } from './support/browser.js';

const TO = '919812345671';

describe.skipIf(!hasBrowser).each([WIDE, NARROW])('what a send leaves out at %i px', (width) => {
  let owner: OpenedApp;
  beforeAll(async () => {
    owner = await openApp({ role: 'owner', path: '/send', width });
  });
  afterAll(() => owner.close());

  it('is named before it is sent, and handed over as a file', async () => {
    const { page } = owner;
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field('Name of the campaign').fill('Left out');
    await field('Message').fill('Hello');
    await field('Numbers').fill(`${TO}, 12, +${TO}`);
    expect(await field('Remove duplicates').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Show preview and price', exact: true }).click();
    await page.getByText('1 credit for 1 recipient').waitFor();
    await page.getByText('2 rows will be skipped:').waitFor();
    const rows = page.getByRole('group', { name: 'The first rows' }).getByRole('row');
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Row\s+Number\s+Country\s+Result$/),
      expect.stringMatching(/^1\s+919812345671\s+India\s+Will be sent$/),
      expect.stringMatching(/^2\s+12\s+–\s+Skipped: number has fewer than 8 digits$/),
      expect.stringMatching(/^3\s+919812345671\s+–\s+Skipped: the person is in an earlier row$/),
    ]);
    expect(await page.getByText(/^1: 919812345671$/).count()).toBe(1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download skipped rows', exact: true }).click();
    expect(readFileSync(await (await download).path(), 'utf8').split('\r\n')).toEqual([
      'row,value,reason,message',
      '2,12,number_invalid,number has fewer than 8 digits',
      `3,${TO},duplicate,the person is in an earlier row`,
      '',
    ]);
    expect(await fitsWidth(page)).toBe(true);
    expect(owner.faults).toEqual([]);
  });
});
