import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DayPlace, verifyDay } from '../../packages/verify/src/index.js';
import { firstIdAt } from '../../src/kernel/ids.js';
import { HouseDays } from '../../src/modules/settlements/house-days.store.js';
import { signingKey } from '../../src/modules/settlements/settlement-key.js';
import { dataOf } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { newSeed, numbers, openSettlements, type Settlements } from './support.js';

const DAY_MS = 86_400_000;

describe('a day of the house', () => {
  let settlements: Settlements;
  let days: HouseDays;
  let owner: Member;
  let admin: Member;
  const key = signingKey(newSeed());
  const yesterday = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS);
  const name = yesterday.toISOString().slice(0, 10);

  /** As if they had happened yesterday. */
  const backdate = async (): Promise<void> => {
    const rows = await settlements.dataSource.query<{ id: number }[]>('SELECT id FROM settlements ORDER BY id');
    for (const [index, { id }] of rows.entries()) {
      await settlements.dataSource.query('UPDATE settlements SET id = ? WHERE id = ?', [
        firstIdAt(new Date(yesterday.getTime() + 1_000)) + index,
        id,
      ]);
    }
    await settlements.dataSource.query('UPDATE audit_log SET created_at = created_at - INTERVAL 1 DAY');
  };

  beforeAll(async () => {
    settlements = await openSettlements();
    days = settlements.part(HouseDays);
    owner = await settlements.join({ gsm_credits: 10 });
    admin = await settlements.join(0, { userType: 'admin' });
  });
  afterAll(() => settlements.stop());

  it('has each settlement of all accounts, and the audit log as it was', async () => {
    const others = await settlements.join({ gsm_credits: 10 });
    const ids: [Member, string][] = [];
    for (const member of [owner, others, owner]) ids.push([member, await settlements.done(member, numbers(1))]);
    await settlements.settleDue();
    const { username } = owner.account;
    const grant = { balance: 'gsm_credits', amount: 5 };
    await settlements.post(`/v6/api/admin/accounts/${username}/credits`, admin, grant);
    await backdate();
    const [first, requestId] = ids[0] ?? [owner, ''];
    const path = `campaigns/${requestId}/settlement/day`;
    expect((await settlements.answer(first, path)).body).toMatchObject({ statusCode: 409, code: 'day_not_sealed' });
    await settlements.dataSource.query('INSERT INTO settlement_keys VALUES (?, ?, UTC_TIMESTAMP(3))', [
      key.id,
      key.publicKey,
    ]);
    await days.sealDue(key);
    await days.sealDue(key);
    for (const [member, id] of ids) {
      const settlement = await settlements.settlement(member, id);
      const place = dataOf(await settlements.answer(member, `campaigns/${id}/settlement/day`)) as unknown as DayPlace;
      expect(place.statement).toMatchObject({ day: name, number: 1, previous: null, settlements: { count: 3 } });
      expect(await verifyDay(place, settlement)).toMatchObject({ ok: true });
      for (const by of [1, 2, 4, 8, 2 ** 20, 0.5, -4])
        expect(await verifyDay({ ...place, index: place.index + by }, settlement)).toMatchObject({ ok: false });
      const other = { ...settlement, digest: place.digest };
      expect(await verifyDay(place, other)).toMatchObject({ ok: false });
    }
    expect((await settlements.answer(owner, `campaigns/${ids[1]?.[1] ?? ''}/settlement/day`)).status).toBe(404);
  });

  it('shows staff that an entry of the audit log was changed, removed or put in', async () => {
    const check = async (): Promise<unknown> =>
      dataOf(await settlements.answer(admin, `admin/audit/days/${name}`))['unchanged'];
    const { dataSource } = settlements;
    expect(await check()).toBe(true);
    const [entry] = await dataSource.query<{ id: number; details: string }[]>(
      'SELECT id, details FROM audit_log ORDER BY id LIMIT 1',
    );
    await dataSource.query("UPDATE audit_log SET details = '{}' WHERE id = ?", [entry?.id]);
    expect(await check()).toBe(false);
    await dataSource.query('UPDATE audit_log SET details = ? WHERE id = ?', [entry?.details, entry?.id]);
    expect(await check()).toBe(true);
    await dataSource.query('UPDATE audit_log SET id = id - 100000 WHERE id = ?', [entry?.id]);
    expect(await check()).toBe(false);
    for (const day of ['2020-01-01', '2026-02-31'])
      expect((await settlements.answer(admin, `admin/audit/days/${day}`)).status).toBe(404);
    expect((await settlements.answer(owner, `admin/audit/days/${name}`)).status).toBe(403);
  });
});
