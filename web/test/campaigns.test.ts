import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../test/support/processes.js';
import { AudioServer } from '../../test/support/voice.js';
import { axeViolations } from './support/axe.js';
import {
  fitsWidth,
  hasBrowser,
  NARROW,
  openApp,
  type OpenedApp,
  type Role,
  type WebService,
  webService,
  WIDE,
} from './support/browser.js';

/** Pictures to be looked at, below the data of a run. */
const PICTURES = new URL('../../.data/test/pictures/', import.meta.url).pathname;
const NUMBER = '919811100001';
const SENDERS = ['staff', 'owner'] as const;
const VIEWS = SENDERS.flatMap((role) => [WIDE, NARROW].map((width) => [role, width] as const));

describe.skipIf(!hasBrowser)('campaigns in the browser', () => {
  let web: WebService;
  let audio: AudioServer;
  let sent: string;
  const open: OpenedApp[] = [];

  const opened = async (role: Role, width: number, path: string): Promise<OpenedApp> => {
    const app = await openApp({ role, width, path });
    open.push(app);
    return app;
  };
  const picture = async ({ page }: OpenedApp, name: string): Promise<void> => {
    await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true });
  };
  const detailOf = async (requestId: string): Promise<Record<string, unknown>> => {
    const { body } = await web.clients.owner.call<{ data: Record<string, unknown> }>(
      'GET',
      `/v6/api/campaigns/${requestId}`,
    );
    return body.data;
  };

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    web = await webService();
    audio = await AudioServer.open();
    const { owner } = web.clients;
    sent = await owner.broadcast([NUMBER, '919811100404', '919811100603', '919811100002'], {
      broadcast_name: 'Autumn <b>offer</b>',
    });
    await owner.broadcast(['919811100003', '919811100004'], {
      broadcast_name: 'Winter offer',
      schedule_time: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await until('the campaign is over', async () => (await detailOf(sent))['state'] === 'completed');
  });
  afterAll(async () => {
    for (const app of open) await app.close();
    await audio.close();
  });

  it.each(VIEWS)('as %s at %i: a number leads to the recipient, with its timeline open', async (role, width) => {
    const app = await opened(role, width, '/campaigns');
    const { page } = app;
    const box = page.getByRole('combobox', { name: /^Search numbers/ });
    const isAtBox = () => box.evaluate((element) => element === element.ownerDocument.activeElement);
    for (const keys of ['/', 'Control+k', 'Meta+k']) {
      await page.locator('main h1').focus();
      await page.keyboard.press(keys);
      expect(await isAtBox(), keys).toBe(true);
    }
    expect(await box.inputValue()).toBe('');
    await page.keyboard.type('1/2'); // within a field it is a sign like others
    expect(await box.inputValue()).toBe('1/2');
    await box.fill('+91 98111 00001');
    const hit = page.getByRole('option', { name: /Recipient\s*919811100001/ });
    await hit.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await picture(app, `search-${role}-${width}`);
    await box.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Recipient ${NUMBER}` });
    await dialog.getByText('Accepted by the carrier').waitFor();
    for (const said of ['1 of gsm credits', 'not listed', 'sandbox']) await dialog.getByText(said).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/app/campaigns/${sent}`);
    expect(new URL(page.url()).searchParams.get('contact')).toBe('1');
    expect(await axeViolations(page)).toEqual([]);
    await picture(app, `timeline-${role}-${width}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect(await fitsWidth(page)).toBe(true);
    // by the name of the campaign, by keyboard alone
    await box.fill('winter off');
    await page.getByRole('option', { name: /Campaign\s*Winter offer/ }).waitFor();
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Winter offer' }).waitFor();
    expect(app.faults).toEqual([]);
  });

  it('a template that was approved long ago is found by its name, and can be paused', async () => {
    const { owner, staff } = web.clients;
    const fields = { template_name: 'autumn_greeting', category: 'utility', template_body: 'Good morning' };
    const { body } = await owner.call('POST', '/webhook/api/createTemplates.php', fields);
    await staff.call('POST', `/v6/api/admin/templates/${String(body['template_id'])}/approve`);
    const { page } = await opened('staff', 1440, '/');
    const box = page.getByRole('combobox', { name: /^Search numbers/ });
    await box.fill('autumn_greet');
    await page.getByRole('option', { name: /Template\s*autumn_greeting/ }).waitFor();
    await box.press('Enter');
    await page.getByRole('button', { name: 'Pause autumn_greeting' }).waitFor();
    await page.getByRole('link', { name: 'All waiting' }).click();
    await page.getByRole('combobox', { name: 'Status' }).waitFor();
  });

  it.each(VIEWS)('as %s at %i: the list is filtered, and its address says how', async (role, width) => {
    const app = await opened(role, width, `/campaigns?search=offer`);
    const { page } = app;
    await page.getByRole('link', { name: /^Winter offer/ }).waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('scheduled');
    await page.getByRole('link', { name: /^Autumn <b>offer/ }).waitFor({ state: 'detached' });
    await page.getByLabel('Channel', { exact: true }).selectOption('sms');
    if (role === 'staff') {
      await page.getByLabel('Route', { exact: true }).selectOption('sandbox');
      await page.getByLabel('Account', { exact: true }).fill('demo');
      await page.waitForURL(/username=demo/);
    }
    await page.getByText('scheduled', { exact: true }).first().waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('state'), searchParams.get('channel'), searchParams.get('search')]).toEqual([
      'scheduled',
      'sms',
      'offer',
    ]);
    expect(await axeViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    await picture(app, `list-${role}-${width}`);
    await page.reload();
    await page.getByRole('link', { name: /^Winter offer/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Winter offer' }).waitFor();
    expect(app.faults).toEqual([]);
  });

  it.each(VIEWS)('as %s at %i: a campaign tells what failed and why, and can be sent again', async (role, width) => {
    const app = await opened(role, width, `/campaigns/${sent}`);
    const { page } = app;
    await page.getByRole('region', { name: 'Failure reasons' }).first().waitFor();
    await page.getByText('Hello from Switchboard').waitFor();
    await page.getByRole('button', { name: /^Failed\s*2$/ }).click();
    await page.getByRole('button', { name: /919811100404/ }).waitFor();
    await page.getByRole('button', { name: /919811100002/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED');
    expect(await axeViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    await picture(app, `campaign-${role}-${width}`);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await file).suggestedFilename()).toBe(`${sent}.csv`);
    if (role === 'owner' && width === WIDE) {
      await page.getByRole('button', { name: /^Retry / }).click();
      const dialog = page.getByRole('dialog', { name: 'Retry failed recipients?' });
      await dialog.getByText(/permanent failure: not included/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await picture(app, 'retry');
      await dialog.getByLabel('Include permanent failures').check();
      await dialog.getByText('A new campaign goes to 2 recipients and costs 2 credits.').waitFor();
      await dialog.getByRole('button', { name: 'Retry 2 for 2 credits' }).click();
      await page.getByRole('link', { name: sent }).waitFor();
    }
    expect(app.faults).toEqual([]);
  });

  it.each(VIEWS)(
    'as %s at %i: a campaign is paused, resumed and cancelled, and the dialog says what goes back',
    async (role, width) => {
      const id = await web.clients.owner.broadcast(['919811100005', '919811100006', '919811100007'], {
        broadcast_name: 'Spring offer',
        schedule_time: new Date(Date.now() + 86_400_000).toISOString(),
      });
      const app = await opened(role, width, `/campaigns/${id}`);
      const { page } = app;
      const pause = page.getByRole('button', { name: 'Pause', exact: true });
      await pause.click();
      await page.getByRole('button', { name: 'Resume' }).click();
      await pause.waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Cancel “Spring offer”?' });
      await dialog.getByText('3 of gsm credits refunded', { exact: false }).waitFor();
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Keep it');
      expect(await axeViolations(page)).toEqual([]);
      await picture(app, `cancel-${role}-${width}`);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect((await detailOf(id))['state']).not.toBe('cancelled');
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await dialog.getByRole('button', { name: 'Cancel the campaign' }).click();
      await expect.poll(() => detailOf(id).then(({ refunded_credits: back }) => back)).toBe(3);
      await page.getByRole('list', { name: 'Recipients by status' }).getByText('Cancelled').waitFor();
      expect(app.faults).toEqual([]);
    },
  );

  it.each([WIDE, NARROW])('staff approve and reject voice campaigns at %i with everything in sight', async (width) => {
    const { owner } = web.clients;
    const names = [`Survey ${width}`, `Unwanted ${width}`] as const;
    const ids: string[] = [];
    for (const broadcast_name of names) {
      const { status, body } = await owner.call('POST', '/v6/api/v1/voice/send', {
        broadcast_name,
        message: 'Press 1 to talk to us.',
        language: 'en',
        caller_id: '4930111222',
        retries: 1,
        contacts: ['919811100010', '919811100011'],
        dtmf_flow: {
          rows: [
            { digit: '1', action: 'transfer', number: '4930123456', fallback_numbers: ['4930123457'] },
            {
              digit: '2',
              action: 'submenu',
              prompt_audio: audio.url(300),
              rows: [{ digit: '9', action: 'audio', audio: audio.url(200), after: 'back' }],
            },
          ],
        },
      });
      expect([status, body]).toMatchObject([200, { request_id: expect.any(String) as string }]);
      ids.push(String(body['request_id']));
    }
    const app = await opened('staff', width, '/reviews/voice');
    const { page } = app;
    const card = page.getByRole('region', { name: names[0] });
    for (const said of [
      'Press 1 to talk to us.',
      '4930111222',
      '4930123456',
      '4930123457',
      'records the caller',
      '2',
    ]) {
      if (said !== 'records the caller') await card.getByText(said, { exact: false }).first().waitFor();
    }
    for (const clip of ['the recording', 'the clip of key 2', 'the clip of key 2 9']) {
      await card.getByRole('button', { name: `Play ${clip}`, exact: true }).click();
      const player = card.locator(`audio[aria-label="${clip}"]`);
      await player.waitFor();
      await expect
        .poll(() =>
          page.evaluate(
            `(({ readyState, duration }) => readyState >= 1 && duration > 0)(document.querySelector('audio[aria-label="${clip}"]'))`,
          ),
        )
        .toBe(true);
    }
    expect(await axeViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    await picture(app, `voice-${width}`);
    await page.getByRole('button', { name: `Reject ${names[1]}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await dialog.getByText('A reason is needed').waitFor();
    await dialog.getByLabel('Reason').fill('The number is not yours');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('region', { name: names[1] }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Approve ${names[0]}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    expect(await detailOf(ids[1] ?? '')).toMatchObject({ state: 'rejected', reason: 'The number is not yours' });
    expect((await detailOf(ids[0] ?? ''))['state']).not.toBe('pending_approval');
    const seen = await opened('owner', width, `/campaigns/${ids[1] ?? ''}`);
    await seen.page.getByText('The number is not yours').waitFor();
    expect([...app.faults, ...seen.faults]).toEqual([]);
  });

  it('says that a campaign is not there', async () => {
    const app = await opened('owner', WIDE, '/campaigns/no-such');
    await app.page.getByText('Campaign not found').waitFor();
  });
});
