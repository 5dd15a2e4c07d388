import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import { expectRefused, type Member } from '../support/sms.js';

const NUMBERS = ['919812345671', '919812345672', '919812345673'];
const WAIT = { timeout: 60_000, interval: 50 };

/** A channel that the service does not have, in apps that are handed a longer list: no line of the service knows it. */
describe('a sixth channel', () => {
  let campaigns: Pagers;
  let owner: Member;
  let requestId: string;

  beforeAll(async () => {
    campaigns = await openPagers();
    owner = await campaigns.join(100);
    await campaigns.addGateway('gateway', true);
  });
  afterAll(() => campaigns.stop());

  const send = (numbers: readonly string[], fields: Json = {}): Promise<string> =>
    campaigns.page(owner, 'Call the ward', numbers, fields);
  const paged = (): unknown[] => campaigns.paged().map(({ body }) => body['to']);
  const receipt = async (number: string | undefined, status: string): Promise<void> => {
    const answer = await campaigns.receipt('gateway', `page-${paged().lastIndexOf(number) + 1}`, status);
    expect(answer.body).toEqual({ success: true, receipts: 1 });
  };
  const view = (id: string): Promise<Json> => campaigns.view(id, owner);
  const act = (id: string, what: string) => campaigns.act(`/v6/api/campaigns/${id}/${what}`, owner);

  it('is quoted by its own price', async () => {
    const contacts = [...NUMBERS, 'none'];
    const answer = await campaigns.post('/v6/api/campaigns/quote', owner, {
      channel: 'pager',
      message: 'Hi',
      contacts,
    });
    expect(dataOf(answer)).toMatchObject({
      channel: 'pager',
      credits_per_contact: 2,
      total_credits: 6,
      invalid: [expect.objectContaining({ row: 4, value: 'none' })],
    });
  });

  it('is accepted and charged, or refused', async () => {
    const hook = { url: campaigns.server.url('/hook'), events: ['pager.status.update', 'campaign.completed'] };
    expect((await campaigns.post('/v6/api/webhooks', owner, hook)).status).toBe(201);
    requestId = await send(NUMBERS);
    expect(requestId).toMatch(/^PAGE_\d{8}_[A-Z0-9]{8}$/);
    expect(await campaigns.credits(owner)).toBe(94);
    expectRefused(
      await campaigns.post('/test/pager', owner, { message: 'Hi' }),
      400,
      'message and numbers are required',
    );
    const past = await campaigns.post('/test/pager', owner, {
      message: 'Hi',
      numbers: NUMBERS,
      schedule_time: '2001-01-01',
    });
    expectRefused(past, 400, 'schedule_time is invalid');
  });

  it('leaves through the http driver, and is tried again where it was lost', async () => {
    await vi.waitFor(() => expect(paged().toSorted()).toEqual(NUMBERS), WAIT);
    await receipt(NUMBERS[0], 'delivered');
    await receipt(NUMBERS[1], 'failed');
    await receipt(NUMBERS[2], 'failed');
    await vi.waitFor(() => expect(paged().slice(3).toSorted()).toEqual(NUMBERS.slice(1)), WAIT);
    await vi.waitFor(
      async () => expect((await view(requestId))['status_counts']).toEqual({ BEEPED: 1, PAGED: 2 }),
      WAIT,
    );
    await receipt(NUMBERS[1], 'delivered');
    await receipt(NUMBERS[2], 'failed');
    const end = { channel: 'pager', state: 'completed', status: 'Completed', credits: 6 };
    const status_counts = { BEEPED: 2, LOST: 1 };
    await vi.waitFor(async () => expect(await view(requestId)).toMatchObject({ ...end, status_counts }), WAIT);
  });

  it('is reported in its own words', async () => {
    const contacts = listOf(await campaigns.get(`/v6/api/campaigns/${requestId}/contacts`, owner));
    expect(contacts.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['BEEPED', 1],
      ['BEEPED', 2],
      ['LOST', 2],
    ]);
    expect(listOf(await campaigns.get('/v6/api/campaigns?channel=pager', owner))).toHaveLength(1);
    const events = (): unknown[] => campaigns.server.to('/hook').map(({ body }) => [body['event'], body['status']]);
    await vi.waitFor(() => expect(events()).toContainEqual(['pager.status.update', 'LOST']), WAIT);
    await vi.waitFor(() => expect(events()).toContainEqual(['campaign.completed', undefined]), WAIT);
  });

  it('sends its failures again as a campaign of their own', async () => {
    const answer = await act(requestId, 'retry-failed');
    const child = dataOf(answer);
    expect(child).toMatchObject({ retry_of: requestId, total_rows: 1, credits: 2 });
    expect(await campaigns.credits(owner)).toBe(92);
    await vi.waitFor(() => expect(paged()).toHaveLength(6), WAIT);
    await receipt(NUMBERS[2], 'delivered');
    const counts = async (): Promise<unknown> => (await view(String(child['request_id'])))['status_counts'];
    await vi.waitFor(async () => expect(await counts()).toEqual({ BEEPED: 1 }), WAIT);
  });

  it('is cancelled and refunded', async () => {
    const later = await send(NUMBERS, { schedule_time: '2099-01-01T00:00:00Z' });
    expect([(await view(later))['status'], await campaigns.credits(owner)]).toEqual(['Paging', 86]);
    expect(dataOf(await act(later, 'cancel'))).toMatchObject({ state: 'cancelled' });
    await vi.waitFor(async () => expect(await campaigns.credits(owner)).toBe(92), WAIT);
    expect((await view(later))['status_counts']).toEqual({ CANCELLED: 3 });
    expect(paged()).toHaveLength(6);
  });
});
