import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, dataOf, listOf } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { openWebhooks, type Webhooks } from '../support/webhooks.js';

const PATH = '/v6/api/admin/webhooks';

/** What staff see of the webhooks of all accounts (reference/admin#webhooks). */
describe('webhooks for staff', () => {
  let webhooks: Webhooks;
  let root: Member;

  beforeAll(async () => {
    webhooks = await openWebhooks();
    root = await webhooks.join(0, { userType: 'super' });
  });
  afterAll(() => webhooks.stop());

  const call = (path: string, member: Member | null, method = 'GET'): Promise<Answer> =>
    webhooks.request(PATH + path, {
      method,
      ...(member && { headers: { authorization: `Bearer ${member.token}` } }),
    });
  const listed = async (query: string): Promise<Json[]> => listOf(await call(`?${query}`, root));

  it('show how each does: last success, failures, what waits, and its tries, which staff repeat', async () => {
    const [good, bad] = [await webhooks.join(), await webhooks.join()];
    const works = await webhooks.hook(good, ['gsm.status.update']);
    const fails = await webhooks.hook(bad, ['gsm.status.update']);
    let isBroken = true;
    webhooks.receiver.answering = ({ path }) => (isBroken && path === fails.path ? 500 : undefined);
    const worker = await webhooks.worker({ WEBHOOK_RETRY_DELAYS: [0, 3_600_000] });
    await webhooks.sent(good, ['919812345678', '919812345679']);
    await webhooks.sent(bad);
    await webhooks.logged(good, works, 2);
    const [failed] = await webhooks.logged(bad, fails, 1);

    const [fine] = await listed(`username=${good.account.username}`);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string;
    const tries = { tries: 2, failed: 0, failure_rate: 0 };
    expect(fine).toEqual({
      id: works.id,
      username: good.account.username,
      url: webhooks.receiver.url(works.path),
      events: ['gsm.status.update'],
      status: 'active',
      disabled_reason: null,
      failing_since: null,
      created_by: { kind: 'account', id: good.account.id, name: good.account.username },
      last_success_at: moment,
      last_hour: tries,
      last_day: tries,
      backlog: 0,
      oldest_waiting_at: null,
      created_at: moment,
      updated_at: moment,
    });
    const [poor] = await listed('failing=true');
    expect(poor).toMatchObject({ id: fails.id, failing_since: moment, last_success_at: null, backlog: 1 });
    expect(poor).toMatchObject({ oldest_waiting_at: moment, last_day: { tries: 1, failed: 1, failure_rate: 1 } });
    expect(dataOf(await call(`/${fails.id}`, root))).toEqual(poor);
    expect(listOf(await call(`/${fails.id}/attempts`, root))).toEqual([
      expect.objectContaining({ event_id: failed?.['event_id'], status_code: 500 }),
    ]);

    isBroken = false;
    const replay = await call(`/events/${String(failed?.['event_id'])}/replay`, root, 'POST');
    expect(replay.body).toEqual({
      success: true,
      message: 'Webhook event queued for delivery',
      data: { event_id: failed?.['event_id'], webhooks: 1 },
    });
    await webhooks.logged(bad, fails, 2);
    expect(dataOf(await call(`/${fails.id}`, root))).toMatchObject({
      failing_since: null,
      last_success_at: moment,
      last_hour: { tries: 2, failed: 1, failure_rate: 0.5 },
      backlog: 0,
    });
    expect(await listed('failing=true')).toEqual([]);
    const [entry] = listOf(await webhooks.get(`/v6/api/admin/audit?actor=${root.account.username}&limit=1`, root));
    expect(entry).toMatchObject({
      action: 'webhook.replay',
      subject: bad.account.username,
      details: { event_id: failed?.['event_id'], type: 'gsm.status.update', webhooks: 1 },
    });
    await worker.close();
  });

  it('are narrowed by account and status, newest first, and gone through by cursor', async () => {
    const member = await webhooks.join();
    const hooks = [];
    for (let count = 0; count < 3; count++) hooks.push(await webhooks.hook(member, ['campaign.completed']));
    const ids = hooks.map(({ id }) => id).reverse();
    await webhooks.call('PATCH', `/${ids[1] ?? 0}`, member, { status: 'disabled' });
    const of = `username=${member.account.username}`;
    expect((await listed(of)).map(({ id }) => id)).toEqual(ids);
    expect((await listed(`${of}&status=disabled`)).map(({ id }) => id)).toEqual([ids[1]]);
    expect((await listed(`${of}&failing=true`)).map(({ id }) => id)).toEqual([]);
    expect((await listed('status=disabled&failing=true')).map(({ id }) => id)).toEqual([]);
    expect((await listed('limit=3')).map(({ id }) => id)).toEqual(ids);
    expect((await listed('status=disabled&limit=1'))[0]).toMatchObject({
      id: ids[1],
      disabled_reason: 'Disabled by the account',
    });
    for (const query of [`${of}&limit=2`, 'limit=2']) {
      const { body } = await call(`?${query}`, root);
      const next = listOf(await call(`?${query}&cursor=${String(body['next_cursor'])}`, root));
      expect(next[0]).toMatchObject({ id: ids[2] });
    }
  });

  it('are not for others, and neither are odd words and ids', async () => {
    const member = await webhooks.join();
    const reseller = await webhooks.join(0, { userType: 'reseller' });
    for (const who of [member, reseller]) {
      for (const path of ['', '/1', '/1/attempts']) expectRefused(await call(path, who), 403, 'Forbidden');
      expectRefused(await call('/events/evt_1/replay', who, 'POST'), 403, 'Forbidden');
    }
    expectRefused(await call('', null), 401, 'Invalid Authorization token');
    expectRefused(await call('?status=asleep', root), 400, 'status must be one of: active, disabled');
    expectRefused(await call('?username=nobody', root), 404, 'Account not found');
    expectRefused(await call('?cursor=odd', root), 400, 'cursor is invalid');
    const removed = await webhooks.hook(member, ['campaign.completed']);
    await webhooks.call('DELETE', `/${removed.id}`, member);
    for (const id of [String(removed.id), '0', 'abc', '99999999999999999999', '%27']) {
      expectRefused(await call(`/${id}`, root), 404, 'Webhook not found');
      expectRefused(await call(`/${id}/attempts`, root), 404, 'Webhook not found');
    }
    expectRefused(await call('/1/attempts?cursor=odd', root), 400, 'cursor is invalid');
    for (const id of ['evt_1', 'ü', '%00', 'x'.repeat(300)]) {
      expectRefused(await call(`/events/${id}/replay`, root, 'POST'), 404, 'Webhook event not found');
    }
  });
});
