import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle, verifyChain, verifyProof, verifySettlement } from '../../packages/verify/src/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { listOf } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { linesIn, newSeed, numbers, openSettlements, type Settlements } from './support.js';

describe('a settlement', () => {
  let settlements: Settlements;
  let owner: Member;
  let keys: { id: string; public_key: string }[];

  beforeAll(async () => {
    settlements = await openSettlements();
    owner = await settlements.join({ gsm_credits: 10_000 });
  });
  afterAll(() => settlements.stop());

  it('is issued once, when the campaign is complete, and checks out without the house', async () => {
    const requestId = await settlements.send(owner, numbers(3));
    expect((await settlements.answer(owner, `campaigns/${requestId}/settlement`)).body).toMatchObject({
      statusCode: 409,
      message: 'Settlement is not issued yet',
    });
    await settlements.settleDue();
    await settlements.begin(requestId);
    await settlements.settle(requestId, [1, 2], RecipientStatus.Delivered);
    await settlements.settle(requestId, [3], RecipientStatus.Failed, 'Suppressed', true);
    await settlements.settleDue();
    const settlement = await settlements.settlement(owner, requestId);
    expect(settlement.statement).toMatchObject({
      type: 'settlement',
      account: owner.account.username,
      number: 1,
      previous: null,
      request_id: requestId,
      state: 'completed',
      totals: { recipients: 3, statuses: { delivered: 2, failed: 1 }, parts: 3, charged: 3, refunded: 1, net: 2 },
      entries: { count: 2 },
    });
    ({ keys } = (await settlements.answer(owner, '../../.well-known/switchboard-settlement-keys')).body as {
      keys: typeof keys;
    });
    expect(keys).toMatchObject([{ algorithm: 'Ed25519', id: settlement.statement.key }]);
    expect(await verifySettlement(settlement, { keys })).toMatchObject({ ok: true });
    expect(await verifyBundle(linesIn(await settlements.bundle(owner, requestId)), { keys })).toMatchObject({
      ok: true,
    });
    for (const seq of [1, 2, 3]) {
      const proof = await settlements.proof(owner, requestId, seq);
      expect(proof.recipient).toMatchObject({
        seq,
        receiver: numbers(3)[seq - 1],
        price: 1,
        refund: seq === 3 ? 1 : 0,
      });
      expect(await verifyProof(proof, { keys })).toMatchObject({ ok: true });
    }
    await settlements.settleDue();
    expect(await settlements.settlement(owner, requestId)).toEqual(settlement);
  });

  it('does not change when a delivered message is read later', async () => {
    const requestId = await settlements.done(owner, numbers(2));
    await settlements.settleDue();
    const before = await settlements.settlement(owner, requestId);
    await settlements.settle(requestId, [1], RecipientStatus.Read);
    await settlements.settleDue();
    expect(await settlements.settlement(owner, requestId)).toEqual(before);
    expect(await verifyProof(await settlements.proof(owner, requestId, 1))).toMatchObject({ ok: true });
    expect(await verifyBundle(linesIn(await settlements.bundle(owner, requestId)))).toMatchObject({ ok: true });
  });

  it('has pages of 1,024 recipients, and a proof of each of them', async () => {
    const requestId = await settlements.done(owner, numbers(2_500), [1_024, 1_025, 2_500]);
    await settlements.settleDue();
    expect(await verifyBundle(linesIn(await settlements.bundle(owner, requestId)), { keys })).toMatchObject({
      ok: true,
    });
    for (const seq of [1, 1_024, 1_025, 2_048, 2_049, 2_500]) {
      const proof = await settlements.proof(owner, requestId, seq);
      expect(proof.path.length).toBeLessThanOrEqual(12);
      expect(await verifyProof(proof, { keys })).toMatchObject({ ok: true });
    }
    expect((await settlements.answer(owner, `campaigns/${requestId}/contacts/2501/proof`)).status).toBe(404);
  });

  it('is a link of the account’s chain, which a list shows', async () => {
    const list = await settlements.answer(owner, 'settlements?limit=2');
    const first = listOf(list) as unknown as Parameters<typeof verifyChain>[0];
    const rest = await settlements.answer(owner, `settlements?cursor=${String(list.body['next_cursor'])}`);
    const all = [...first, ...(listOf(rest) as unknown as typeof first)];
    expect(all.map(({ statement }) => statement.number)).toEqual([3, 2, 1]);
    expect(await verifyChain(all, { keys })).toEqual({ ok: true, statement: null });
    expect(
      await verifyChain(
        [...first, ...all.slice(-1)].filter((_, at) => at !== 1),
        { keys },
      ),
    ).toMatchObject({
      problem: 'Settlements are missing between the numbers 1 and 3.',
    });
    expect((await settlements.answer(owner, 'settlements?from=2020-01-01&to=2020-01-31')).body).toMatchObject({
      total: 0,
    });
    expect((await settlements.answer(owner, 'settlements?from=x')).status).toBe(400);
  });

  it('is signed with the present key, while the earlier public keys stay published', async () => {
    const requestId = await settlements.done(owner, numbers(1));
    await settlements.makerWith(newSeed()).settleDue();
    const { statement } = await settlements.settlement(owner, requestId);
    expect(statement.key).not.toBe(keys[0]?.id);
    const known = await settlements.dataSource.query<{ id: string }[]>('SELECT id FROM settlement_keys');
    expect(known.map(({ id }) => id).sort()).toEqual([keys[0]?.id, statement.key].sort());
  });

  it('of a client is read by its reseller too, but no proof that names a number', async () => {
    const reseller = await settlements.join(0, { userType: 'reseller' });
    const stranger = await settlements.join(0, { userType: 'reseller' });
    const client = await settlements.join({ gsm_credits: 5 });
    await settlements.dataSource.query('UPDATE accounts SET parent_id = ?, permissions = permissions WHERE id = ?', [
      reseller.account.id,
      client.account.id,
    ]);
    const requestId = await settlements.done(client, numbers(2));
    await settlements.settleDue();
    const status = async (member: Member, path: string): Promise<number> =>
      (await settlements.answer(member, path)).status;
    const { username } = client.account;
    expect(await status(reseller, `campaigns/${requestId}/settlement`)).toBe(200);
    expect(await status(reseller, `campaigns/${requestId}/contacts/1/proof`)).toBe(404);
    expect(await status(stranger, `campaigns/${requestId}/settlement`)).toBe(404);
    expect(await status(owner, `campaigns/${requestId}/settlement`)).toBe(404);
    expect(listOf(await settlements.answer(reseller, `settlements?username=${username}`))).toHaveLength(1);
    expect(await status(stranger, `settlements?username=${username}`)).toBe(404);
    expect(await status(owner, `settlements?username=${username}`)).toBe(403);
  });

  it('is not made of what does not add up', async () => {
    const requestId = await settlements.done(owner, numbers(2));
    await settlements.dataSource.query('UPDATE campaigns SET charged_credits = 1 WHERE request_id = ?', [requestId]);
    await settlements.settleDue();
    expect((await settlements.answer(owner, `campaigns/${requestId}/settlement`)).body).toMatchObject({
      statusCode: 409,
      code: 'settlement_refused',
    });
  });

  it('shows that a stored row was changed after it', async () => {
    const requestId = await settlements.done(owner, numbers(2));
    await settlements.settleDue();
    await settlements.dataSource.query('UPDATE campaign_recipients SET status = 4 WHERE campaign_id = ? AND seq = 1', [
      await settlements.idOf(requestId),
    ]);
    expect((await settlements.answer(owner, `campaigns/${requestId}/contacts/2/proof`)).body).toMatchObject({
      statusCode: 409,
      code: 'settlement_broken',
    });
    expect(await verifyBundle(linesIn(await settlements.bundle(owner, requestId)))).toEqual({
      ok: false,
      problem: 'The recipients are not those that were signed: one was changed, added, removed or moved.',
    });
  });

  it('is not there for a campaign that was complete before', async () => {
    const requestId = await settlements.done(owner, numbers(1));
    await settlements.dataSource.query('UPDATE campaigns SET settlement_due = 0 WHERE request_id = ?', [requestId]);
    await settlements.settleDue();
    expect((await settlements.answer(owner, `campaigns/${requestId}/settlement`)).body).toMatchObject({
      statusCode: 404,
      message: 'Settlement not found',
    });
  });
});
