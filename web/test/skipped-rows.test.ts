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
    await page.getByText('2 rows will be left out:').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download what is left out', exact: true }).click();
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
