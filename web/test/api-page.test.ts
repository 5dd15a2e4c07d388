import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openApp, type OpenedApp } from './support/browser.js';

const PICTURES = join(import.meta.dirname, '../../.data/test/pictures');
const WAIT = { timeout: 60_000, interval: 50 };

interface ApiDocument {
  paths: Record<string, Record<string, { tags?: string[] }>>;
}

/** Swagger UI, with the filter that our own plugin makes of it. */
describe.skipIf(!hasBrowser)('the page of the API in a browser', () => {
  let app: OpenedApp;
  let page: Page;
  let document: ApiDocument;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    app = await openApp({ role: null });
    ({ page } = app);
    await page.goto('/docs');
    await page.locator('.opblock').first().waitFor();
    document = (await (await page.request.get('/docs-json')).json()) as ApiDocument;
    app.faults.length = 0;
  });
  afterAll(() => app.close());

  /** Operations that are shown in their groups, as `get /path`; events stand below them, whatever is looked for. */
  const shown = (): Promise<string[]> =>
    page
      .locator('.opblock-tag-section .opblock')
      .evaluateAll((blocks) =>
        blocks.map(
          (block) =>
            `${block.querySelector('.opblock-summary-method')?.textContent?.toLowerCase()} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`,
        ),
      );
  const filter = (phrase: string): Promise<void> => page.locator('.operation-filter-input').fill(phrase);
  const all = (holds: (tags: string[]) => boolean): string[] =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags = [] }]) => holds(tags))
        .map(([method]) => `${method} ${path}`),
    );

  it('shows every operation, and finds them by path, by word and by group', async () => {
    expect((await shown()).sort()).toEqual(all(() => true).sort());

    await filter('addbroadcastgsm');
    await expect.poll(shown, WAIT).toEqual(['post /webhook/api/addbroadcastgsm.php']);
    await page.screenshot({ path: join(PICTURES, 'api-filter-path.png') });

    await filter('Rotate WEBHOOKS secret');
    await expect.poll(shown, WAIT).toEqual(['post /v6/api/webhooks/{id}/rotate-secret']);

    await filter('sender ids');
    const group = all((tags) => tags.includes('Sender ids'));
    expect(group.length).toBeGreaterThan(1);
    await expect.poll(shown, WAIT).toEqual(expect.arrayContaining(group));
    expect((await shown()).length).toBeLessThan(all(() => true).length / 2);
    await page.screenshot({ path: join(PICTURES, 'api-filter-group.png') });

    await filter('no such operation');
    await expect.poll(shown, WAIT).toEqual([]);
    await filter('');
    await expect.poll(async () => (await shown()).length, WAIT).toBe(all(() => true).length);
    expect(app.faults).toEqual([]);
  });

  it('fills in nothing that would hide results', async () => {
    await filter('listCampaigns');
    await expect.poll(shown, WAIT).toContain('get /v6/api/campaigns');
    const block = page.locator('.opblock').filter({ has: page.locator('[data-path="/v6/api/campaigns"]') });
    await block.locator('.opblock-summary-control').first().click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    const fields = block.locator('.parameters-col_description').locator('input, select');
    await fields.first().waitFor();
    const filled = await fields.evaluateAll((inputs) =>
      inputs.map((input) => (input as unknown as { value: string }).value),
    );
    expect(filled.filter(Boolean)).toEqual([]);
    expect(await fields.count()).toBeGreaterThan(5);
    await block.screenshot({ path: join(PICTURES, 'api-try.png') });
  });
});
