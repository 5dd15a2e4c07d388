import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { listOf } from '../support/campaigns.js';
import { until } from '../support/processes.js';
import { NUMBER, openWebhooks, type Webhooks } from '../support/webhooks.js';

/**
 * What an endpoint does to its own turn, and what not to anybody else's (reference/webhooks#order-and-isolation), by
 * real workers.
 */
describe('delivery runs of webhooks', () => {
  let webhooks: Webhooks;

  beforeAll(async () => {
    webhooks = await openWebhooks();
    await webhooks.worker();
  });
  afterAll(() => webhooks.stop());

  it('keeps a silent endpoint to itself: neither another one of its account nor another account waits', async () => {
    const [silentOwner, other] = [await webhooks.join(), await webhooks.join()];
    const silent = await webhooks.hook(silentOwner, ['gsm.status.update']);
    const beside = await webhooks.hook(silentOwner, ['gsm.status.update']);
    const foreign = await webhooks.hook(other, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }) => (path === silent.path ? 'hang' : undefined);
    const numbers = Array.from({ length: 40 }, (_, index) => `9198000000${String(index).padStart(2, '0')}`);
    await webhooks.sent(silentOwner, numbers);
    await webhooks.received(silent, 8);
    await webhooks.sent(other, numbers);
    await webhooks.received(beside, 40);
    await webhooks.received(foreign, 40);
    expect(await webhooks.attempts(silentOwner, silent)).toEqual([]); // all that while not one of its tries has ended
    expect(webhooks.receiver.to(silent.path)).toHaveLength(8);
    webhooks.receiver.answering = () => undefined;
    webhooks.receiver.letGo();
    await webhooks.received(silent, 40);
    expect(new Set(webhooks.receiver.to(silent.path).map(({ id }) => id)).size).toBe(40);
  });

  it('does not let a later status of a recipient overtake an earlier one', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    const silent = '919800000001';
    webhooks.receiver.answering = ({ path, body }) =>
      path === hook.path && body['receiver'] === silent && body['status'] === 'SENT' ? 'hang' : undefined;
    const requestId = await webhooks.send(owner, [silent, NUMBER]);
    await webhooks.begin(requestId);
    for (const status of [RecipientStatus.Submitted, RecipientStatus.Delivered]) {
      await webhooks.settle(requestId, [1, 2], status);
    }
    const words = (receiver: string): unknown[] =>
      webhooks.receiver.to(hook.path).flatMap(({ body }) => (body['receiver'] === receiver ? [body['status']] : []));
    await expect.poll(() => words(NUMBER), { timeout: 30_000 }).toEqual(['SENT', 'DELIVERED']);
    // Others go on, also those that come later, while this one waits.
    await webhooks.sent(owner, ['919800000002']);
    await expect.poll(() => words('919800000002'), { timeout: 8_000 }).toEqual(['SENT']);
    expect(words(silent)).toEqual(['SENT']);
    webhooks.receiver.letGo();
    await expect.poll(() => words(silent), { timeout: 30_000 }).toEqual(['SENT', 'DELIVERED']);
    webhooks.receiver.answering = () => undefined;
  });

  it('comes to what waits behind hundreds of events of one recipient, though each is slow', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    const [busy, behind] = ['919800000004', '919800000005'];
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 'hang' : undefined);
    // Two full pages of one recipient, and a third that has room for the other.
    await webhooks.sent(owner, Array<string>(590).fill(busy));
    await webhooks.sent(owner, [behind]);
    await webhooks.received(hook, 8); // side by side: none of them has an answer
    webhooks.receiver.answering = () => undefined;
    webhooks.receiver.letGo();
    const all = (await webhooks.received(hook, 591)).map(({ body }) => body['receiver']);
    expect(all.indexOf(behind)).toBeLessThan(490);
    expect(all.filter((receiver) => receiver === busy)).toHaveLength(590);
  });

  it('does not send on to an endpoint that its owner disabled, though more is due', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 'hang' : undefined);
    const numbers = Array.from({ length: 100 }, (_, index) => `9198100${String(index).padStart(5, '0')}`);
    await webhooks.sent(owner, numbers);
    await webhooks.received(hook, 8);
    await webhooks.call('PATCH', `/${hook.id}`, owner, { status: 'disabled' });
    // Each answer makes room for one more try; the tries in hand when it was disabled are over long before.
    await webhooks.isLetGo(hook);
    expect(webhooks.receiver.to(hook.path).length).toBeLessThan(100);
    webhooks.receiver.answering = () => undefined;
  });

  it.each([
    { closed: 'deactivated', closing: 'is_active = 0', opening: 'is_active = 1' },
    { closed: 'expired', closing: 'expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND', opening: 'expires_at = NULL' },
  ])('sends nothing more to a $closed account, and the rest once it is opened again', async ({ closing, opening }) => {
    const owner = await webhooks.join();
    const change = (values: string): Promise<unknown> =>
      webhooks.dataSource.query(`UPDATE accounts SET ${values} WHERE id = ?`, [owner.account.id]);
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 'hang' : undefined);
    const numbers = Array.from({ length: 100 }, (_, index) => `9198200${String(index).padStart(5, '0')}`);
    await webhooks.sent(owner, numbers);
    await webhooks.received(hook, 8);
    await change(closing);
    // Each answer makes room for one more try, so a run that goes on would send all of them.
    await webhooks.isLetGo(hook);
    expect(webhooks.receiver.to(hook.path).length).toBeLessThan(100);
    const before = webhooks.receiver.to(hook.path).length;
    const neighbour = await webhooks.join();
    const other = await webhooks.hook(neighbour, ['gsm.status.update']);
    await webhooks.sent(neighbour); // whose turn comes in the same look
    await webhooks.received(other, 1);
    expect(webhooks.receiver.to(hook.path)).toHaveLength(before);
    webhooks.receiver.answering = () => undefined;
    await change(opening);
    await webhooks.received(hook, 100);
  });

  it('keeps the longest Retry-After of several', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path, body }, response) => {
      if (path !== hook.path) return undefined;
      if (body['receiver'] === NUMBER) response.writeHead(429, { 'retry-after': '3600' }).end();
      else {
        setTimeout(() => response.writeHead(503, { 'retry-after': '1' }).end(), 300);
        return 'hang';
      }
      return undefined;
    };
    await webhooks.sent(owner, [NUMBER, '919800000003']);
    await webhooks.logged(owner, hook, 2);
    const [row] = await webhooks.dataSource.query<{ seconds: number }[]>(
      'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), held_until) AS seconds FROM webhook_endpoints WHERE id = ?',
      [hook.id],
    );
    expect(Number(row?.seconds)).toBeGreaterThan(3_000);
    webhooks.receiver.answering = () => undefined;
  });

  it('delivers each event once though two workers run', async () => {
    const owner = await webhooks.join();
    await webhooks.worker();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    const numbers = Array.from({ length: 300 }, (_, index) => `9198000${String(index).padStart(5, '0')}`);
    await webhooks.sent(owner, numbers);
    await until('all to be settled', async () => (await webhooks.waiting(hook)) === 0);
    expect(webhooks.receiver.to(hook.path)).toHaveLength(300);
    expect(new Set(webhooks.receiver.to(hook.path).map(({ id }) => id)).size).toBe(300);
    expect(listOf(await webhooks.call('GET', `/${hook.id}/attempts?page=2&limit=100`, owner))).toHaveLength(100);
  });

  it('delivers again what a lost worker had under way', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    // As a worker leaves it that was killed between a delivery and its record: a lease, and the delivery still due.
    await webhooks.dataSource.query(
      'UPDATE webhook_endpoints SET fence = 9, lease_until = UTC_TIMESTAMP(3) + INTERVAL 1 SECOND WHERE id = ?',
      [hook.id],
    );
    await webhooks.sent(owner);
    const [delivery] = await webhooks.received(hook, 1);
    expect((await webhooks.logged(owner, hook, 1))[0]).toMatchObject({ event_id: delivery!.id, attempt: 1 });
  });
});
