import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance, CampaignReader } from '../../src/modules/engine/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine, startEngineOn } from '../support/engine.js';

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
    const entries = await engine.database.dataSource.query<{ amount: number; available: number }[]>(
      'SELECT amount, available FROM credit_ledger WHERE account_id = ? ORDER BY id',
      [accountId],
    );
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
});
