import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openApp, type OpenedApp, webService } from './support/browser.js';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** Pages that follow what happens: on the list of templates that wait for a decision. */
describe.skipIf(!hasBrowser)('a live page', () => {
  let app: OpenedApp;

  const write = async (name: string): Promise<void> => {
    const { clients } = await webService();
    const fields = {
      template_name: name,
      category: 'marketing',
      template_body: `${HOSTILE} {{1}}`,
      body_examples: ['<b>Jane</b>'],
    };
    expect((await clients.owner.call('POST', '/webhook/api/createTemplates.php', fields)).status).toBeLessThan(300);
  };
  const button = (name: string) => app.page.getByRole('button', { name, exact: true });
  const focused = () => app.page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.tagName');

  beforeAll(async () => {
    for (const name of ['spring_live', 'summer_live']) await write(name);
    app = await openApp({ role: 'staff', path: '/reviews/templates' });
  });
  afterAll(() => app.close());

  it('shows what customers wrote as text, and runs nothing of it', async () => {
    const { page } = app;
    await button('Approve spring_live').waitFor();
    await page.getByText(`${HOSTILE} <b>Jane</b>`).first().waitFor();
    expect(await page.evaluate('"hacked" in window')).toBe(false);
    expect(app.faults).toEqual([]);
  });

  it('keeps the focus while others come and go', async () => {
    await button('Reject spring_live').focus();
    await write('autumn_live');
    await button('Reject autumn_live').waitFor();
    expect(await focused()).toBe('Reject spring_live');
  });

  it('passes the focus on when what had it is gone', async () => {
    const { page } = app;
    await button('Approve spring_live').focus();
    await page.keyboard.press('Enter');
    // the safe choice has the focus
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await page.getByRole('button', { name: 'Approve it' }).click();
    await button('Approve spring_live').waitFor({ state: 'detached' });
    // whichever stands there now: other files leave templates of their own
    await expect.poll(focused).toMatch(/^Approve (?!spring_live)\w+$/);
  });

  it('says when the API is away, keeps what it knew, and goes on when it is back', async () => {
    const { page } = app;
    const heard = app.faults.length;
    await page.route('**/v6/api/**', (route) => route.abort());
    await page.getByText('Out of date: The API does not answer.').waitFor();
    expect(await button('Approve summer_live').count()).toBe(1);
    await page.unroute('**/v6/api/**');
    await page.getByText('Out of date').waitFor({ state: 'detached' });
    app.faults.splice(heard); // the browser's own words about what was cut off
  });

  it('leads to the login, and says why, when the token counts no more', async () => {
    const { page } = app;
    await page.route('**/v6/api/admin/templates*', (route) =>
      route.fulfill({ status: 401, json: { success: false, message: 'Invalid Authorization token' } }),
    );
    await page.getByText('Your session has ended. Please log in again.').waitFor();
    expect(new URL(page.url()).search).toBe('?then=%2Freviews%2Ftemplates');
  });
});
