import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { Drain } from '../../src/platform/observability/index.js';
import { startApi } from '../support/api.js';
import { openCampaigns, type Campaigns, dataOf, type Json } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const { Delivered, Cancelled } = RecipientStatus;
const MOST = 10;

let campaigns: Campaigns;
let owner: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join(1_000);
});
afterAll(() => campaigns.stop());

const path = (requestId: string): string => `/v6/api/campaigns/${requestId}/events`;

/** A client of a stream of events. */
class Listener {
  private text = '';
  private constructor(
    readonly response: Response,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly abort: AbortController,
  ) {}

  static async open(
    requestId: string,
    as: Member | Record<'x-api-key', string>,
    url = campaigns.url,
  ): Promise<Listener> {
    const abort = new AbortController();
    const headers: Record<string, string> = 'token' in as ? { authorization: `Bearer ${as.token}` } : as;
    const response = await fetch(url + path(requestId), { headers, signal: abort.signal });
    if (!response.body) throw new Error('no stream');
    return new Listener(response, response.body.getReader(), abort);
  }

  /** The next event, or null at the end of the stream. */
  async next(): Promise<{ event: string; data: Json } | null> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event === undefined || data === undefined) continue;
        return { event, data: JSON.parse(data) as Json };
      }
      const { done, value } = await this.reader.read();
      if (done) return null;
      this.text += new TextDecoder().decode(value);
    }
  }

  close(): void {
    this.abort.abort();
  }
}

describe('progress as server-sent events', () => {
  it('a snapshot at once, every change, and an end', async () => {
    const requestId = await campaigns.send(owner, ['919812345678', '919812345679']);
    const listener = await Listener.open(requestId, owner);
    expect(listener.response.status).toBe(200);
    expect(listener.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(listener.response.headers.get('cache-control')).toBe('no-store, no-transform');
    const detail = dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, owner));
    const last = Object.keys(detail).indexOf('completed_at');
    const shown = Object.fromEntries(Object.entries(detail).slice(0, last + 1));
    expect(await listener.next()).toEqual({ event: 'progress', data: shown });
    await campaigns.begin(requestId);
    expect((await listener.next())?.data).toMatchObject({ state: 'running', status_counts: { PP1: 2 } });
    await campaigns.settle(requestId, [1], Delivered);
    expect((await listener.next())?.data).toMatchObject({ status_counts: { PP1: 1, DELIVERED: 1 } });
    await campaigns.settle(requestId, [2], Delivered);
    expect((await listener.next())?.data).toMatchObject({ state: 'completed', status_counts: { DELIVERED: 2 } });
    expect(await listener.next()).toEqual({ event: 'end', data: {} });
    expect(await listener.next()).toBeNull();
  });

  it('of a campaign that is over: the snapshot and the end', async () => {
    const requestId = await campaigns.send(owner, ['919812345678']);
    await campaigns.begin(requestId);
    await campaigns.settle(requestId, [1], Delivered);
    const listener = await Listener.open(requestId, owner);
    expect((await listener.next())?.data).toMatchObject({ state: 'completed' });
    expect((await listener.next())?.event).toBe('end');
    expect(await listener.next()).toBeNull();
  });

  it('of a cancelled campaign goes on until nothing waits to be cancelled', async () => {
    const requestId = await campaigns.send(owner, ['919812345678', '919812345679']);
    const listener = await Listener.open(requestId, owner);
    await listener.next();
    await campaigns.act(`/v6/api/campaigns/${requestId}/cancel`, owner);
    expect((await listener.next())?.data).toMatchObject({ state: 'cancelled', status_counts: { PP1: 2 } });
    await campaigns.settle(requestId, [1, 2], Cancelled, null, true);
    expect((await listener.next())?.data).toMatchObject({ status_counts: { CANCELLED: 2 } });
    expect((await listener.next())?.event).toBe('end');
  });

  it('is shared by many listeners, at most 10 of one account, whose places become free again', async () => {
    const member = await campaigns.join(10);
    const requestId = await campaigns.send(member, ['919812345678']);
    const listeners = await Promise.all(Array.from({ length: MOST }, () => Listener.open(requestId, member)));
    for (const listener of listeners) expect((await listener.next())?.event).toBe('progress');
    const refused = await campaigns.get(path(requestId), member);
    expectRefused(refused, 429, 'Too many requests. Please try again later.');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const admin = await campaigns.join(0, { userType: 'admin' });
    const watching = await Listener.open(requestId, admin);
    expect((await watching.next())?.data).toMatchObject({ request_id: requestId });
    watching.close();
    listeners[0]?.close();
    await expect
      .poll(async () => {
        const again = await Listener.open(requestId, member);
        const { status } = again.response;
        if (status === 200) listeners.push(again);
        return status;
      })
      .toBe(200);
    await campaigns.begin(requestId);
    for (const listener of listeners.slice(1)) expect((await listener.next())?.event).toBe('progress');
    for (const listener of listeners) listener.close();
  });

  it('closes without an end when what opened it lets nobody look any more', async () => {
    const member = await campaigns.join(10);
    const requestId = await campaigns.send(member, ['919812345678']);
    const account = '/v6/api/account';
    const created = dataOf(await campaigns.act(`${account}/api-keys`, member, {}));
    const demoted = await campaigns.join(0, { userType: 'admin' });
    const leaving = await campaigns.join(0, { userType: 'admin' });
    const [byKey, byStaff, byLeaver, byToken] = [
      await Listener.open(requestId, { 'x-api-key': String(created['key']) }),
      await Listener.open(requestId, demoted),
      await Listener.open(requestId, leaving),
      await Listener.open(requestId, member),
    ];
    for (const listener of [byKey, byStaff, byLeaver, byToken]) expect((await listener.next())?.event).toBe('progress');
    const revoked = await campaigns.request(`${account}/api-keys/${String(created['id'])}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(revoked.status).toBe(200);
    await campaigns.dataSource.query(`UPDATE accounts SET user_type = 'client' WHERE id = ?`, [demoted.account.id]);
    expect(await byKey.next()).toBeNull();
    expect(await byStaff.next()).toBeNull();
    expect((await campaigns.act('/v1/auth/logout', leaving)).status).toBe(200);
    expect(await byLeaver.next()).toBeNull();
    await campaigns.begin(requestId);
    expect((await byToken.next())?.data).toMatchObject({ state: 'running' });
    await campaigns.dataSource.query(
      'UPDATE accounts SET password_changed_at = UTC_TIMESTAMP() + INTERVAL 1 MINUTE WHERE id = ?',
      [member.account.id],
    );
    expect(await byToken.next()).toBeNull();
  });

  it('refuses HEAD', async () => {
    const requestId = await campaigns.send(owner, ['919812345678']);
    const answer = await fetch(campaigns.url + path(requestId), {
      method: 'HEAD',
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

// The last: the first API's tokens are taken over by the second one's strategy, so both have one set of secrets.
describe('instances', () => {
  it('any instance tells of any campaign, and one that stops closes its streams without an end', async () => {
    const requestId = await campaigns.send(owner, ['919812345678']);
    const second = await startApi(campaigns.environment, campaigns.database);
    try {
      const here = await Listener.open(requestId, owner);
      const there = await Listener.open(requestId, owner, second.url);
      for (const listener of [here, there]) expect((await listener.next())?.event).toBe('progress');
      await campaigns.begin(requestId);
      for (const listener of [here, there]) expect((await listener.next())?.data).toMatchObject({ state: 'running' });
      second.app.get(Drain, { strict: false }).begin();
      expect(await there.next()).toBeNull();
      const late = await Listener.open(requestId, owner, second.url);
      expect(late.response.headers.get('content-type')).toContain('text/event-stream');
      expect(await late.next()).toBeNull();
      await campaigns.settle(requestId, [1], Delivered);
      expect((await here.next())?.data).toMatchObject({ state: 'completed' });
    } finally {
      await second.stop();
    }
  });
});
