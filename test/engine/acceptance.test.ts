import { createConnection } from 'mysql2/promise';
import type { EntityManager } from 'typeorm';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CreditBook } from '../../src/modules/credits/index.js';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { Packets } from '../../src/platform/database/index.js';
import { RelayNotifier } from '../../src/platform/queues/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine, startEngineOn } from '../support/engine.js';
import { openSms } from '../support/sms.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignWriter } from '../../src/modules/engine/accept/campaign-writer.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const settle = async (work: Promise<unknown>[]): Promise<{ accepted: number; refusals: string[] }> => {
  const results = await Promise.allSettled(work);
  return {
    accepted: results.filter((result) => result.status === 'fulfilled').length,
    refusals: results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : [])),
  };
};

describe('accepting campaigns', () => {
  let engine: Engine;
  let acceptance: CampaignAcceptance;
  beforeAll(async () => {
    engine = await startEngine();
    acceptance = engine.module.get(CampaignAcceptance, { strict: false });
  });
  afterAll(async () => engine.stop());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const ledgerOf = (accountId: number): Promise<{ amount: number; available: number }[]> =>
    engine.database.dataSource.query('SELECT amount, available FROM credit_ledger WHERE account_id = ? ORDER BY id', [
      accountId,
    ]);

  it('accepts exactly floor(balance / cost) of 60 at once, over two instances', async () => {
    const accountId = await engine.account('parallel', 100);
    // A second process's worth of acceptance on the same database: coalescing is per process, the money is not.
    const second = await startEngineOn(engine.database.url);
    const other = second.get(CampaignAcceptance, { strict: false });
    const drafts = Array.from({ length: 60 }, () => engine.draft(accountId, ['919000000001'], { unitCredits: 3 }));
    const { accepted, refusals } = await settle(
      drafts.map((draft, index) => (index % 2 === 0 ? acceptance : other).accept(draft)),
    );
    await second.close();
    expect(accepted).toBe(33);
    expect(refusals).toHaveLength(27);
    for (const text of refusals) expect(text).toMatch(/^Insufficient credits\. Available: \d+, Required: 3$/);
    expect(await engine.available(accountId)).toEqual({ stored: 1, ledger: 1 });
    const [row] = await engine.database.dataSource.query<{ campaigns: string; debits: string }[]>(
      `SELECT (SELECT COUNT(*) FROM campaigns WHERE account_id = ?) AS campaigns,
              (SELECT COUNT(*) FROM credit_ledger WHERE account_id = ? AND kind = 'debit') AS debits`,
      [accountId, accountId],
    );
    expect([Number(row?.campaigns), Number(row?.debits)]).toEqual([33, 33]);
  });

  it('keeps a running balance in the ledger of requests that shared a transaction', async () => {
    const accountId = await engine.account('ledger', 1_000);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => acceptance.accept(engine.draft(accountId, numbers(index + 1)))),
    );
    const entries = await ledgerOf(accountId);
    let running = 0;
    for (const entry of entries) {
      running += entry.amount;
      expect(entry.available).toBe(running);
    }
    expect(running).toBe(1_000 - (40 * 41) / 2);
  });

  it('stores every recipient in order, and nothing of a refused request', async () => {
    const accountId = await engine.account('order', 60_000);
    const receivers = numbers(52_000);
    const accepted = await acceptance.accept(engine.draft(accountId, receivers));
    const reader = engine.module.get(CampaignReader, { strict: false });
    const first = await reader.recipients(accepted.id, { afterSeq: 0, limit: 100_000 });
    expect(first.map((recipient) => recipient.number)).toEqual(receivers);
    expect(first.map((recipient) => recipient.seq)).toEqual(receivers.map((_, index) => index + 1));
    await expect(acceptance.accept(engine.draft(accountId, numbers(8_001)))).rejects.toThrow(
      'Insufficient credits. Available: 8000, Required: 8001',
    );
    expect(await engine.available(accountId)).toEqual({ stored: 8_000, ledger: 8_000 });
    const lanes = await engine.database.dataSource.query<{ next_seq: number; end_seq: number }[]>(
      'SELECT next_seq, end_seq FROM campaign_lanes WHERE campaign_id = ? ORDER BY lane',
      [accepted.id],
    );
    expect(lanes[0]?.next_seq).toBe(1);
    expect(lanes.at(-1)?.end_seq).toBe(52_001);
    for (const [index, lane] of lanes.entries()) if (index > 0) expect(lane.next_seq).toBe(lanes[index - 1]?.end_seq);
  });

  it('answers a repeated caller-supplied id once, and refuses it for another body or account', async () => {
    const accountId = await engine.account('repeat', 100);
    const foreign = await engine.account('foreign', 100);
    const fingerprint = Buffer.alloc(32, 7);
    const draft = (owner: number, print = fingerprint) =>
      engine.draft(owner, numbers(10), { requestId: { given: 'my-own-id' }, fingerprint: print });
    const answers = await Promise.all(Array.from({ length: 20 }, () => acceptance.accept(draft(accountId))));
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(answers.filter((answer) => !answer.repeated)).toHaveLength(1);
    expect(await engine.available(accountId)).toEqual({ stored: 90, ledger: 90 });
    await expect(acceptance.accept(draft(foreign))).rejects.toThrow('request_id already exists');
    await expect(acceptance.accept(draft(accountId, Buffer.alloc(32, 8)))).rejects.toThrow('request_id already exists');
    expect(await engine.available(foreign)).toEqual({ stored: 100, ledger: 100 });
  });

  it('makes another id when a generated one is taken', async () => {
    const accountId = await engine.account('collision', 100);
    const ids = ['TAKEN', 'TAKEN', 'TAKEN', 'FREE'];
    await acceptance.accept(engine.draft(accountId, numbers(1), { requestId: { make: () => 'TAKEN' } }));
    const second = await acceptance.accept(
      engine.draft(accountId, numbers(1), { requestId: { make: () => ids.shift() ?? 'LATER' } }),
    );
    expect(second.requestId).toBe('FREE');
    expect(await engine.available(accountId)).toEqual({ stored: 98, ledger: 98 });
  });

  it('costs one more transaction when an id of a group is taken, whether it is ours, made by us, or a client’s', async () => {
    const accountId = await engine.account('taken', 1_000);
    const owner = await engine.account('owner', 10);
    const fingerprint = Buffer.alloc(32, 3);
    const given = (id: string) => ({ requestId: { given: id }, fingerprint });
    await acceptance.accept(engine.draft(owner, numbers(1), given('theirs')));
    const mine = await acceptance.accept(engine.draft(accountId, numbers(1), given('mine')));
    const [taken] = await engine.database.dataSource.query<{ id: number }[]>(
      'SELECT id FROM campaigns WHERE account_id = ?',
      [owner],
    );
    const group = (...more: Partial<CampaignDraft>[]) =>
      settle(
        [...Array.from({ length: 30 }, () => ({})), ...more].map((fields) =>
          acceptance.accept(engine.draft(accountId, numbers(1), fields)),
        ),
      );
    const begun = vi.spyOn(Packets.prototype, 'send');
    const cost = async (work: Promise<unknown>): Promise<number> => {
      begun.mockClear();
      await work;
      return begun.mock.calls.length;
    };
    const free = await cost(group());

    const ids = [mine.requestId, 'free-again'];
    expect(await cost(group({ requestId: { make: () => ids.shift() ?? 'more' } }))).toBeLessThanOrEqual(free + 2);

    const own = group(given('mine'), given('mine'), given('theirs'));
    expect(await cost(own)).toBeLessThanOrEqual(free + 2);
    expect(await own).toEqual({ accepted: 32, refusals: ['request_id already exists'] });

    const writer = engine.part(CampaignWriter);
    const statements = writer.heads.bind(writer);
    const collides = vi
      .spyOn(writer, 'heads')
      .mockImplementationOnce((heads) => statements([{ ...heads[0]!, id: Number(taken?.id) }, ...heads.slice(1)]));
    expect(await cost(group())).toBeLessThanOrEqual(free + 2);
    for (const spy of [begun, collides]) spy.mockRestore();
    expect(await engine.available(accountId)).toEqual({ stored: 1_000 - 122, ledger: 1_000 - 122 });
  });

  it('fails the draft alone whose further writes fail, and answers those that were accepted beside it', async () => {
    const accountId = await engine.account('beside', 10);
    const further = async (tx: EntityManager): Promise<void> => {
      await tx.query('INSERT INTO restores (id, restored_at) VALUES (7, UTC_TIMESTAMP(3)), (7, UTC_TIMESTAMP(3))');
    };
    const drafts = Array.from({ length: 4 }, () => engine.draft(accountId, numbers(1)));
    const { accepted, refusals } = await settle(
      drafts.map((draft, index) => acceptance.accept(draft, index === 2 ? further : undefined)),
    );
    expect([accepted, refusals]).toEqual([3, [expect.stringMatching(/^Duplicate entry/)]]);
    expect(await engine.available(accountId)).toEqual({ stored: 7, ledger: 7 });
  });

  it('looks an id of a client’s up once', async () => {
    const sms = await openSms();
    try {
      const member = await sms.join(10);
      const asked = vi.spyOn(MysqlQueryRunner.prototype, 'query');
      const body = { broadcast_name: 'Spring', brodcast_service: 'any', message: 'Hello', contacts: numbers(1) };
      expect((await sms.broadcast(member, { ...body, providermessageid: 'once' })).status).toBe(200);
      const looks = asked.mock.calls.filter(([text]) => /FROM campaigns WHERE request_id/.test(text));
      expect(looks).toHaveLength(1);
      asked.mockRestore();
    } finally {
      await sms.stop();
    }
  });

  it('shares transactions between accounts, and refuses each for its own credits alone', async () => {
    const second = await startEngineOn(engine.database.url);
    const other = second.get(CampaignAcceptance, { strict: false });
    const heads = vi.spyOn(engine.part(CampaignWriter), 'heads');
    const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => engine.account(`many${index}`, 5)));
    const draftsOf = (id: number) => [1, 2, 1, 2].map((unitCredits) => engine.draft(id, numbers(1), { unitCredits }));
    const results = await Promise.all(
      ids.map((id) => settle(draftsOf(id).map((draft, index) => (index < 3 ? acceptance : other).accept(draft)))),
    );
    await second.close();
    // 90 of them in this process: a few groups, and what parts a group that lost a race against the other process
    expect(heads.mock.calls.length).toBeLessThan(60);
    heads.mockRestore();
    for (const [index, { accepted, refusals }] of results.entries()) {
      expect(accepted).toBe(3);
      expect(refusals).toHaveLength(1);
      expect(refusals[0]).toMatch(/^Insufficient credits\. Available: \d, Required: [12]$/);
      const entries = await ledgerOf(Number(ids[index]));
      let running = 0;
      for (const { amount, available } of entries) expect(available).toBe((running += amount));
      expect(await engine.available(Number(ids[index]))).toEqual({ stored: running, ledger: running });
    }
  });

  it('reads no balance beforehand but of an account that fell short, and where much would be written in vain', async () => {
    const [rich, poor] = [await engine.account('rich', 10), await engine.account('poor', 0)];
    const reads = vi.spyOn(engine.part(CreditBook), 'availableIn');
    const heads = vi.spyOn(engine.part(CampaignWriter), 'heads');
    const send = (): Promise<{ accepted: number; refusals: string[] }> =>
      settle([rich, poor].map((id) => acceptance.accept(engine.draft(id, numbers(1)))));
    const counts = (): number[] => [reads.mock.calls.length, heads.mock.calls.length];
    await acceptance.accept(engine.draft(rich, numbers(1)));
    expect(counts()).toEqual([0, 1]);
    const first = await send();
    expect(counts()).toEqual([1, 3]);
    expect(await send()).toEqual(first);
    expect(first).toEqual({ accepted: 1, refusals: ['Insufficient credits. Available: 0, Required: 1'] });
    expect(counts()).toEqual([2, 4]);
    expect(reads.mock.calls[1]?.[0]).toEqual([expect.objectContaining({ accountId: poor })]);
    const another = await engine.account('another', 1);
    const alongside = vi.fn(() => Promise.resolve());
    await expect(acceptance.accept(engine.draft(another, numbers(2)))).rejects.toThrow('Required: 2');
    await acceptance.accept(engine.draft(another, numbers(1)));
    const last = await engine.account('last', 0);
    await expect(acceptance.accept(engine.draft(last, numbers(1)), alongside)).rejects.toThrow('Required: 1');
    expect([counts(), alongside.mock.calls.length]).toEqual([[5, 5], 0]);
    for (const spy of [reads, heads]) spy.mockRestore();
  });

  it('needs one packet for a group, whatever its size, and a transaction where an answer decides', async () => {
    const accountId = await engine.account('packets', 1_000);
    const sent = vi.spyOn(Packets.prototype, 'send');
    const begun = vi.spyOn(MysqlQueryRunner.prototype, 'startTransaction');
    const cost = async (...drafts: CampaignDraft[]): Promise<number[]> => {
      const { accepted } = await settle(drafts.map((draft) => acceptance.accept(draft)));
      expect(accepted).toBe(drafts.length);
      const counts = [sent.mock.calls.length, begun.mock.calls.length];
      for (const spy of [sent, begun]) spy.mockClear();
      return counts;
    };
    const draft = (size = 1) => engine.draft(accountId, numbers(size));
    expect(await cost(draft())).toEqual([1, 0]);
    expect(await cost(...Array.from({ length: 10 }, () => draft()))).toEqual([1, 0]);
    expect(await cost(draft(500))).toEqual([1, 0]);
    await engine.database.dataSource.query('UPDATE credit_balances SET alert_below = 480 WHERE account_id = ?', [
      accountId,
    ]);
    expect(await cost(draft(9))).toEqual([1, 0]);
    expect(await cost(draft(), draft())).toEqual([1, 1]); // falls below: the server refuses the packet
    expect(await cost(draft())).toEqual([1, 0]);
    for (const spy of [sent, begun]) spy.mockRestore();
    expect(await engine.available(accountId)).toEqual({ stored: 477, ledger: 477 });
  });

  it('refuses for credits alone: another CHECK of the group is a fault', async () => {
    const accountId = await engine.account('checks', 10);
    const { dataSource } = engine.database;
    await dataSource.query(
      "ALTER TABLE campaigns ADD CONSTRAINT ck_other CHECK (broadcast_name <> 'refused by another CHECK')",
    );
    const refused = acceptance.accept(
      engine.draft(accountId, numbers(1), { broadcastName: 'refused by another CHECK' }),
    );
    await expect(refused).rejects.toThrow(/ck_other/);
    await dataSource.query('ALTER TABLE campaigns DROP CONSTRAINT ck_other');
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('parts a group whose accounts spend their credits while it is written', async () => {
    const [one, two, ...others] = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => engine.account(`race${index}`, 10)),
    );
    const knife = await createConnection(engine.database.url);
    // the second runs out once the balances have been read because of the first
    const spenders = [one, two];
    const spend = async (): Promise<void> => {
      await knife.query('UPDATE credit_balances SET available = 0 WHERE account_id = ?', [spenders.shift() ?? 0]);
    };
    const { accepted, refusals } = await settle([
      acceptance.accept(engine.draft(Number(others[0]), numbers(1)), spend),
      ...[one, two, ...others.slice(1)].map((id) => acceptance.accept(engine.draft(Number(id), numbers(1)))),
    ]);
    await knife.end();
    expect([accepted, refusals]).toEqual([4, Array(2).fill('Insufficient credits. Available: 0, Required: 1')]);
    for (const id of others) expect(await engine.available(id)).toEqual({ stored: 9, ledger: 9 });
  });

  it('rings for what is due now, by its routes, and for nothing else', async () => {
    const notify = vi.spyOn(engine.part(RelayNotifier), 'notify');
    const accountId = await engine.account('ring', 100);
    await acceptance.accept(engine.draft(accountId, numbers(1), { scheduledAt: new Date(Date.now() + 60_000) }));
    await acceptance.accept(engine.draft(accountId, numbers(1), { initialState: 'pending_approval' }));
    expect(notify).not.toHaveBeenCalled();
    await acceptance.accept(engine.draft(accountId, numbers(2), { terms: [null, { routeId: 7 }] }));
    expect(notify.mock.calls).toEqual([
      [
        [
          { channel: 'sms', routeId: 1, single: false },
          { channel: 'sms', routeId: 7, single: false },
        ],
      ],
    ]);
    notify.mockRestore();
  });
});
