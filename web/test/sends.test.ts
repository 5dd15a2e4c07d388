import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, until } from '../../test/support/processes.js';
import { fitsWidth, hasBrowser, NARROW, openApp, type OpenedApp, webService, WIDE } from './support/browser.js';

type Json = Record<string, unknown>;
/** One dot. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** The contact of a conversation. */
const SESSION = '4915100000777';
let serial = 0;
/** Names and numbers that no other test uses. */
const fresh = (name: string): string => `${name} ${String(Date.now())} ${String(++serial)}`;
const number = (): string => `9198${String(Date.now()).slice(-6)}${String(10 + (++serial % 80))}`;

/** The guided send, on every channel, to what the carrier says of the recipient. */
describe.skipIf(!hasBrowser)('the guided send', () => {
  let owner: OpenedApp;
  let clients: Awaited<ReturnType<typeof webService>>['clients'];
  let service: Service;

  beforeAll(async () => {
    ({ clients, service } = await webService());
    owner = await openApp({ role: 'owner', path: '/send' });
  });
  afterAll(() => owner.close());

  const field = (label: string) => owner.page.getByLabel(label, { exact: true });
  const button = (name: string) => owner.page.getByRole('button', { name, exact: true });

  /** The campaign of a name, as the API has it. */
  const campaignOf = async (name: string): Promise<Json> => {
    const { body } = await clients.owner.call('GET', '/v6/api/campaigns?limit=20');
    const found = (body['data'] as Json[]).filter((row) => row['broadcast_name'] === name);
    expect(found).toHaveLength(1);
    return found[0] ?? {};
  };
  const ends = async (name: string, status: string): Promise<void> => {
    await until(
      `${name} to be ${status}`,
      async () => ((await campaignOf(name))['status_counts'] as Json)[status] === 1,
    );
  };
  /** Looks at the price and sends; leads to the campaign. */
  const send = async (credits: string, [verb, yes] = ['Send to', 'Send it']): Promise<void> => {
    const { page } = owner;
    await button('Show preview and price').click();
    await page.getByText(credits).waitFor();
    await page.getByRole('button', { name: new RegExp(`^${verb} `) }).click();
    await button(yes).click();
    await page.waitForURL(/\/app\/campaigns\//);
  };

  it('sends an SMS, with its parts and price seen before, and a test to oneself', async () => {
    const { page } = owner;
    const name = fresh('Web SMS');
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Zażółć, {{name|there}}');
    await page.getByText(/Unicode because of ż \(U\+017C\)/).waitFor();
    await field('Message').fill('Hello [x]');
    await page.getByText('11 characters · GSM-7 · 1 part').waitFor();
    await field('Numbers').fill(number());
    await button('Show preview and price').click();
    await page.getByRole('list', { name: 'The first recipients' }).getByText('Hello [x]').waitFor();
    await field('Test message to').fill(number());
    await button('Send a test').click();
    await page.getByText(/^Test sent: /).waitFor();
    await send('1 credit for 1 recipient');
    await ends(`Test: ${name}`, 'DELIVERED');
    await ends(name, 'DELIVERED');
    expect(owner.faults).toEqual([]);
  });

  it('tells what the API refuses, and asks the price again once the text has changed', async () => {
    const { page } = owner;
    await owner.go('/send');
    await page.getByText('Give the campaign a name.').waitFor();
    await field('Name of the campaign').fill(fresh('Refused'));
    await field('Message').fill('Hello {{name}}');
    await field('Numbers').fill(`${number()}, 12`);
    await button('Show preview and price').click();
    await page.getByText('2 rows will be skipped:').waitFor();
    await field('Skip invalid rows').uncheck();
    await button('Show preview and price').click();
    await page.getByText('2 rows would block the send:').waitFor();
    await page.getByText(/no value for name/).waitFor();
    expect(await page.getByRole('button', { name: /^Send to / }).getAttribute('aria-disabled')).toBe('true');
    await field('Message').fill('Hello');
    await page.getByText('Check the preview and the price first.').waitFor();
  });

  it('sends one campaign, however often the button is pressed', async () => {
    const name = fresh('Twice');
    const { page } = owner;
    await owner.go('/send');
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hello');
    await field('Numbers').fill(number());
    await button('Show preview and price').click();
    await page.getByText('1 credit for 1 recipient').waitFor();
    // the answer is lost: the same request is sent again
    let isLost = false;
    await page.route('**/v6/api/campaigns', async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: /^Send to / }).click();
    await button('Send it').click();
    await page.getByText('The API does not answer.').waitFor();
    await page.getByRole('button', { name: /^Send to / }).click();
    await button('Send it').click();
    await page.waitForURL(/\/app\/campaigns\//);
    await page.unroute('**/v6/api/campaigns');
    owner.faults.length = 0;
    await ends(name, 'DELIVERED');
  });

  it('sends to the rows of a file, each with its own text', async () => {
    const { page } = owner;
    const name = fresh('File');
    await owner.go('/send');
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hi {{name}}, {{salute|welcome}}');
    await field('A file').check();
    const file = {
      name: 'customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`kunde;First name\n${number()};Asha\n`),
    };
    await field('Or upload a spreadsheet (.xlsx) or CSV file').setInputFiles(file);
    await button('Upload').click();
    await page.getByText(/no column of a known name/).waitFor();
    owner.faults.length = 0; // the browser's own word about the 400
    await field('Phone number column').fill('kunde');
    await button('Upload').click();
    await page.getByText(/number in “kunde”; columns for the text: First_name/).waitFor();
    // the file calls it otherwise than the text
    await field('{{name}} is filled from').selectOption('First_name');
    await button('Show preview and price').click();
    await page.getByRole('list', { name: 'The first recipients' }).getByText('Hi Asha, welcome').waitFor();
    await send('1 credit for 1 recipient');
    await ends(name, 'DELIVERED');
  });

  it('sends to a list that was made here', async () => {
    const { page } = owner;
    const [list, name] = [fresh('List'), fresh('To a list')];
    await owner.go('/lists');
    await field('Name').fill(list);
    await button('Create list').click();
    await page.getByRole('heading', { name: list }).waitFor();
    const to = number();
    await field('Numbers').fill(to);
    await button('Add').click();
    await page.getByRole('cell', { name: to, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Send to it' }).click();
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hello');
    await send('1 credit for 1 recipient');
    await ends(name, 'DELIVERED');
  });

  it('sends an unofficial chat message', async () => {
    const name = fresh('Unofficial');
    await owner.go('/send?channel=unofficial');
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hello');
    await field('Numbers').fill(number());
    await send('1 credit for 1 recipient');
    await ends(name, 'DELIVERED');
  });

  it.each(['template', 'branded'] as const)('sends an approved template: %s', async (channel) => {
    const { page } = owner;
    const [template, name] = [`web_${channel}_${String(Date.now())}`, fresh(channel)];
    await owner.go('/templates/new');
    await field('Name').fill(template);
    await field('Body').fill('Hello {{1}}, it is ready.');
    await field('Sample values').fill('Jane');
    await page.getByRole('figure').getByText('Hello Jane, it is ready.').waitFor();
    await button('Submit for review').click();
    await page.getByRole('heading', { name: template }).waitFor();
    const id = page.url().split('/').pop() ?? '';
    await clients.staff.call('POST', `/v6/api/admin/templates/${id}/approve`, {});
    await owner.go(`/templates/${id}`);
    await page.getByText('approved', { exact: true }).waitFor();
    await owner.go(`/send?channel=${channel}&template=${template}`);
    await field('Name of the campaign').fill(name);
    await field('Value of {{1}}').fill('Asha');
    await page.getByRole('figure').getByText('Hello Asha, it is ready.').waitFor();
    await field('Numbers').fill(number());
    await send('1 credit for 1 recipient');
    await ends(name, 'DELIVERED');
  });

  it('keeps a template in its language, which has no id', async () => {
    const name = `web_french_${String(Date.now())}`;
    const fields = { template_name: name, category: 'utility', language: 'fr', template_body: 'Bonjour' };
    const { body } = await clients.owner.call('POST', '/webhook/api/createTemplates.php', fields);
    await owner.go(`/templates/${String(body['template_id'])}`);
    expect(await field('Language').inputValue()).toBe('fr');
    await field('Footer').fill('Merci');
    await button('Save and resubmit').click();
    await owner.page.getByText('Saved. It is waiting for approval.').waitFor();
    const shown = await clients.owner.call('GET', `/v6/api/templates/${String(body['template_id'])}`);
    expect(shown.body['data']).toMatchObject({ language_code: 'fr', template_footer: 'Merci' });
  });

  it('sends a call with a menu, walked through before', async () => {
    const { page } = owner;
    const name = fresh('Call');
    await owner.go('/send?channel=voice');
    await field('Name of the campaign').fill(name);
    await field('Text that is spoken').fill('Hello. Press one to talk to us.');
    await button('Listen').click();
    await page.getByLabel('The spoken text').waitFor();
    const heard = `(({ readyState, duration }) => readyState >= 1 && duration > 1)(document.querySelector('audio'))`;
    await expect.poll(() => page.evaluate(heard)).toBe(true);
    await button('Add a key to the menu').click();
    await field('Number').fill('4930123456');
    await field('Test the menu: keys pressed').fill('1');
    await button('Simulate').click();
    await page.getByText(/is forwarded to 4930123456/).waitFor();
    await page.getByText(/The call ends: transferred/).waitFor();
    await field('Numbers').fill(`${number()}, 12`);
    await send('1 credit for 1 recipient');
    const { request_id: id } = await campaignOf(name);
    await clients.staff.call('POST', `/v6/api/admin/campaigns/${String(id)}/approve`, {});
    await ends(name, 'ANSWERED');
  });

  it('sends a session message, which then stands in the list', async () => {
    const { page } = owner;
    const to = number();
    await owner.go('/send/session');
    await field('To').fill(to);
    await field('Text').fill('Hello from the page');
    await button('Send').click();
    await page.getByText('Sent', { exact: true }).waitFor();
    await owner.go('/session-messages');
    await page.getByRole('row').filter({ hasText: to }).getByText('delivered').waitFor();
    // a search for the number leads to the message itself
    await page.getByRole('combobox', { name: /^Search numbers/ }).fill(to);
    await page.getByRole('option', { name: /Session message/ }).click();
    await page.getByRole('heading', { level: 1, name: `Session message to ${to}` }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/app\/session-messages\/\d+$/);
    expect(owner.faults).toEqual([]);
  });

  it('cancels a session message that is still to leave', async () => {
    const { page } = owner;
    const { body: account } = await clients.staff.call<{ data: { url: string } }>(
      'GET',
      '/v6/api/admin/chat-accounts/demo',
    );
    const id = account.data.url.split('/').find((part) => /^\d+$/.test(part));
    const inbound = { phone_number_id: id, from: SESSION, text: 'Hello' };
    const written = await fetch(`${service.sandboxUrl}/chat/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(inbound),
    });
    expect(written.status).toBe(200);
    const { body } = await clients.owner.call('POST', '/v5/api/session.php', {
      contacts: SESSION,
      broadcast_message: 'Later',
      broadcast_name: fresh('Session'),
      schedule_time: new Date(Date.now() + 3_600_000).toISOString().slice(11, 19),
    });
    expect(body).toMatchObject({ status: 'ok' });
    await owner.go('/session-messages?status=PENDING');
    await page
      .getByRole('button', { name: `Cancel the message to ${SESSION}` })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await owner.go('/session-messages?status=CANCELLED');
    await page.getByRole('row').filter({ hasText: SESSION }).first().waitFor();
    expect(owner.faults).toEqual([]);
  });

  it('sends at a later moment, in the time zone of the account', async () => {
    const { page } = owner;
    const name = fresh('Later');
    await owner.go('/send');
    await field('Name of the campaign').fill(name);
    await field('Message').fill('Hello');
    await field('Numbers').fill(number());
    await field('Send at').fill('2031-05-06T07:30');
    await send('1 credit for 1 recipient', ['Schedule for', 'Schedule it']);
    await page
      .getByRole('status')
      .getByText(/^Scheduled: Tue 6 May 2031 07:30 \(UTC\), in \d+ days$/)
      .waitFor();
    await page.getByText('scheduled', { exact: true }).waitFor();
    expect(await campaignOf(name)).toMatchObject({ phase: 'scheduled', scheduled_at: '2031-05-06T07:30:00+00:00' });
    await clients.owner.call('POST', `/v6/api/campaigns/${String((await campaignOf(name))['request_id'])}/cancel`);
  });
});

/** What owners ask for, and what staff decide. */
describe.skipIf(!hasBrowser).each([WIDE, NARROW])('reviews at %i px', (width) => {
  let owner: OpenedApp;
  let staff: OpenedApp;
  beforeAll(async () => {
    owner = await openApp({ role: 'owner', width });
    staff = await openApp({ role: 'staff', width, path: '/reviews/templates' });
  });
  afterAll(async () => {
    await owner.close();
    await staff.close();
  });

  it('templates: shown as the handset does, rejected with a reason, mended, approved', async () => {
    const name = `web_review_${String(width)}_${String(Date.now())}`;
    await owner.go('/templates/new');
    await owner.page.getByLabel('Name', { exact: true }).fill(name);
    // what a customer writes is never more than text
    const hostile = '<img src=x onerror="document.title=1"> {{1}}';
    await owner.page.getByLabel('Body', { exact: true }).fill(hostile);
    await owner.page.getByRole('button', { name: 'Submit for review' }).click();
    await owner.page.getByRole('heading', { name }).waitFor();
    await staff.go('/reviews/templates');
    await staff.page.getByRole('button', { name: `Reject ${name}` }).click();
    await staff.page.getByRole('button', { name: 'Reject it' }).click();
    await staff.page.getByText('A reason is needed').waitFor();
    await staff.page.getByLabel('Reason', { exact: true }).fill('No sample');
    await staff.page.getByRole('button', { name: 'Reject it' }).click();
    await staff.page.getByText(`Rejected: ${name}`).waitFor();
    await owner.page.reload();
    await owner.page.getByText('No sample').waitFor();
    await owner.page.getByLabel('Sample values').fill('Jane');
    await owner.page.getByRole('button', { name: 'Save and resubmit' }).click();
    await owner.page.getByText('Saved. It is waiting for approval.').waitFor();
    await staff.go('/reviews/templates');
    const section = staff.page.getByRole('region', { name });
    await section.getByText('<img src=x onerror="document.title=1"> Jane').waitFor();
    await staff.page.getByRole('button', { name: `Approve ${name}` }).click();
    await staff.page.getByRole('button', { name: 'Approve it' }).click();
    await staff.page.getByText(`Approved: ${name}`).waitFor();
    expect(await fitsWidth(staff.page)).toBe(true);
    expect(await staff.page.title()).toBe('Templates to review · Switchboard');
  });

  it('display names and sender ids: asked for, checked, and told why', async () => {
    const [name, sender] = [`Web ${String(width)} ${String(Date.now())}`, `WEB${String(Date.now()).slice(-6)}`];
    await owner.go('/profile-requests');
    await owner.page.getByLabel('Name', { exact: true }).fill(name);
    await owner.page.getByRole('button', { name: 'Request', exact: true }).click();
    await owner.page.getByText('Requested. It is waiting for approval.').waitFor();
    await staff.go('/reviews/profile-requests');
    await staff.page.getByRole('button', { name: `Reject ${name}` }).click();
    await staff.page.getByLabel('Reason', { exact: true }).fill('Not your name');
    await staff.page.getByRole('button', { name: 'Reject it' }).click();
    await staff.page.getByText(`Rejected: ${name}`).waitFor();
    await owner.page.getByRole('button', { name: `Details of ${name}` }).click();
    await owner.page.getByText('Not your name').waitFor();
    await owner.page.getByRole('button', { name: 'Close' }).click();
    await owner.go('/sender-ids');
    await owner.page.getByLabel('Name or number').fill(sender);
    await owner.page.getByRole('button', { name: 'Register', exact: true }).click();
    await owner.page.getByText('Registered. It is waiting for approval.').waitFor();
    await staff.go('/reviews/sender-ids');
    await staff.page.getByRole('button', { name: `Approve ${sender}` }).click();
    await staff.page.getByRole('button', { name: 'Approve it' }).click();
    await staff.page.getByText(`Approved: ${sender}`).waitFor();
    await owner.page.getByRole('row').filter({ hasText: sender }).getByText('approved').waitFor();
    expect([await fitsWidth(owner.page), await fitsWidth(staff.page)]).toEqual([true, true]);
    expect([owner.faults, staff.faults]).toEqual([[], []]);
  });

  it('home shows balances and what runs; the business profile is changed', async () => {
    await owner.go('/');
    await owner.page.getByRole('list', { name: 'Balances' }).getByText('SMS').waitFor();
    await owner.go('/business-profile');
    await owner.page.getByLabel('About').fill(`Bread since ${String(width)}`);
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await owner.page.getByText('Saved', { exact: true }).waitFor();
    await owner.page.reload();
    await owner.page.getByLabel('About').waitFor();
    expect(await owner.page.getByLabel('About').inputValue()).toBe(`Bread since ${String(width)}`);
    // what is no picture is refused in the API's words, and a picture is taken
    const photo = owner.page.getByLabel('New photo');
    await photo.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await owner.page.getByRole('button', { name: 'Change the photo' }).click();
    await owner.page
      .getByRole('alert')
      .getByText(/JPEG or PNG|JPEG|PNG/)
      .waitFor();
    await photo.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: PICTURE });
    await owner.page.getByRole('button', { name: 'Change the photo' }).click();
    await owner.page.getByText('The photo was changed').waitFor();
    expect(await fitsWidth(owner.page)).toBe(true);
  });
});
