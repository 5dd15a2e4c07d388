import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import type { Member } from '../support/sms.js';

const WAIT = { timeout: 60_000, interval: 50 };
const [PLAIN, DEAR, FAR, FARTHER] = ['919812345671', '919812345672', '919812345673', '919812345674'];
const NUMBERS = [PLAIN, DEAR, FAR, FARTHER];
/** 2 as the campaign's, then 5, 3 and nothing */
const CHARGED = 2 + 5 + 3;
const START = 100;

/** Recipients that differ from their campaign in price, text, sender and route, from the request to the refund. */
describe('terms of a recipient', () => {
  let pagers: Pagers;
  let owner: Member;
  let terms: (Json | null)[];
  let requestId: string;

  beforeAll(async () => {
    pagers = await openPagers();
    owner = await pagers.join(START);
    await pagers.alter(owner, 'refund_failed', 1);
    await pagers.addGateway('near', true);
    const routeId = await pagers.addGateway('far', false);
    terms = [
      null,
      { credits: 5, variables: { name: 'Ada' } },
      { credits: 3, variables: { name: 'Bob' }, sender: 'NIGHT', routeId },
      { credits: 0, routeId },
    ];
  });
  afterAll(() => pagers.stop());

  const send = (fields: Json = {}): Promise<string> => pagers.page(owner, 'Hi {{name}}', NUMBERS, { terms, ...fields });
  const credits = (): Promise<number> => pagers.credits(owner);
  const messages = (from = 0): unknown[] =>
    pagers
      .paged()
      .slice(from)
      .map(({ path, body }) => [path, body['to'], body['text'], body['from']])
      .toSorted((a, b) => String(a[1]).localeCompare(String(b[1])));
  /** To the last message to this number. */
  const receipt = async (number: string | undefined, status: string): Promise<void> => {
    const index = pagers.paged().findLastIndex(({ body }) => body['to'] === number);
    const gateway = String(pagers.paged()[index]?.path.slice(1));
    expect((await pagers.receipt(gateway, `page-${index + 1}`, status)).body).toMatchObject({ success: true });
  };
  const sent = (count: number) => vi.waitFor(() => expect(pagers.paged()).toHaveLength(count), WAIT);
  const counts = (id: string, expected: Json) =>
    vi.waitFor(async () => expect((await pagers.view(id, owner))['status_counts']).toEqual(expected), WAIT);

  it('are charged one by one', async () => {
    requestId = await send();
    expect(await credits()).toBe(START - CHARGED);
    expect(await pagers.view(requestId, owner)).toMatchObject({ total_rows: 4, credits: CHARGED });
  });

  it('refuse a campaign that costs more than there is', async () => {
    const answer = await pagers.post('/test/pager', owner, {
      message: 'Hi',
      numbers: NUMBERS,
      terms: [null, { credits: 1_000 }, null, null],
    });
    expect(answer.body['message']).toBe(`Insufficient credits. Available: ${START - CHARGED}, Required: 1006`);
  });

  it('decide text, sender and route', async () => {
    await sent(4);
    expect(messages()).toEqual([
      ['/near', PLAIN, 'Hi ', null],
      ['/near', DEAR, 'Hi Ada', null],
      ['/far', FAR, 'Hi Bob', 'NIGHT'],
      ['/far', FARTHER, 'Hi ', null],
    ]);
  });

  it('hold for the second try too', async () => {
    await receipt(PLAIN, 'delivered');
    await receipt(DEAR, 'delivered');
    await receipt(FARTHER, 'delivered');
    await receipt(FAR, 'failed');
    await sent(5);
    expect(messages(4)).toEqual([['/far', FAR, 'Hi Bob', 'NIGHT']]);
  });

  it('say what comes back for a recipient that failed', async () => {
    await receipt(FAR, 'failed');
    await counts(requestId, { BEEPED: 3, LOST: 1 });
    await vi.waitFor(async () => expect(await credits()).toBe(START - CHARGED + 3), WAIT);
    const timeline = dataOf(await pagers.get(`/v6/api/campaigns/${requestId}/contacts/3/timeline`, owner));
    expect(timeline['events']).toContainEqual(
      expect.objectContaining({ event: 'refund', details: { balance: 'gsm_credits', credits: 3 } }),
    );
  });

  it('are not told of where there is nothing to tell', async () => {
    const contacts = listOf(await pagers.get(`/v6/api/campaigns/${requestId}/contacts`, owner));
    expect(contacts.map(({ receiver, status, attempts }) => [receiver, status, attempts])).toEqual([
      [PLAIN, 'BEEPED', 1],
      [DEAR, 'BEEPED', 1],
      [FAR, 'LOST', 2],
      [FARTHER, 'BEEPED', 1],
    ]);
  });

  it('go with those that are sent again, at the price and over the route that a send has now', async () => {
    const before = await credits();
    const child = dataOf(await pagers.act(`/v6/api/campaigns/${requestId}/retry-failed`, owner));
    expect(child).toMatchObject({ retry_of: requestId, total_rows: 1, credits: 2 });
    expect(await credits()).toBe(before - 2);
    await sent(6);
    expect(messages(5)).toEqual([['/near', FAR, 'Hi Bob', 'NIGHT']]);
    await receipt(FAR, 'delivered');
    await counts(String(child['request_id']), { BEEPED: 1 });
  });

  it('are paid back when the campaign is cancelled', async () => {
    const before = await credits();
    const later = await send({ schedule_time: '2099-01-01T00:00:00Z' });
    expect(await credits()).toBe(before - CHARGED);
    await pagers.act(`/v6/api/campaigns/${later}/cancel`, owner);
    await vi.waitFor(async () => expect(await credits()).toBe(before), WAIT);
    await counts(later, { CANCELLED: 4 });
    expect(pagers.paged()).toHaveLength(6);
  });
});
