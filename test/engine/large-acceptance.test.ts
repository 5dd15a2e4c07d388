import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EntityManager } from 'typeorm';
import { conflict } from '../../src/kernel/errors.js';
import { type AcceptedCampaign, CampaignAcceptance } from '../../src/modules/engine/index.js';
import { type DraftRecipients, LargeDraftRecipients } from '../../src/modules/engine/accept/large-drafts.js';
import { type CampaignDraft, pagesOf, type RecipientPage } from '../../src/modules/engine/accept/draft.js';
import { RecipientSearch } from '../../src/modules/campaigns/contacts/recipient-search.store.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { Retention } from '../../src/platform/periodic/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine, startEngineOn } from '../support/engine.js';
import { CampaignWriter } from '../../src/modules/engine/accept/campaign-writer.js';
import { CampaignReader, NumberSenders } from '../../src/modules/campaigns/index.js';

const TOTAL = 25_000;
const TABLES = [
  'campaigns',
  'campaign_recipients',
  'recipient_terms',
  'recipient_variables',
  'campaign_counters',
  'campaign_lanes',
];
const UNDER_WAY = 'acceptances_under_way';

describe('accepting a campaign whose recipients are written before it', () => {
  let engine: Engine;
  let acceptance: CampaignAcceptance;
  let staged: LargeDraftRecipients;
  /** past every pool, so that it may look while a transaction is open */
  let other: Connection;
  let accountId: number;
  let serial = 0;

  beforeAll(async () => {
    engine = await startEngine();
    acceptance = engine.part(CampaignAcceptance);
    staged = engine.part(LargeDraftRecipients);
    other = await createConnection({ uri: engine.database.url, supportBigNumbers: true });
  });
  afterAll(async () => {
    await other.end();
    await engine.stop();
  });
  beforeEach(async () => {
    accountId = await engine.account(`large${++serial}`, TOTAL);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const draft = (fields: Partial<CampaignDraft> = {}): CampaignDraft => engine.draft(accountId, numbers(TOTAL), fields);
  const recipients = (): DraftRecipients => ({
    total: TOTAL,
    sum: { charged: TOTAL, usage: [] },
    pages: () => pagesOf(draft()),
  });
  const count = async (table: string, condition = '1 = 1'): Promise<number> => {
    const [rows] = await other.query(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`);
    return Number((rows as { n: number }[])[0]?.n);
  };
  /** rows of the tables that belong to no campaign, and acceptances that are said to be under way */
  const leftOvers = async (): Promise<Record<string, number>> => {
    const of = async (table: string): Promise<[string, number]> => [
      table,
      await count(table, 'campaign_id NOT IN (SELECT id FROM campaigns)'),
    ];
    return Object.fromEntries([...(await Promise.all(TABLES.slice(1).map(of))), [UNDER_WAY, await count(UNDER_WAY)]]);
  };
  const NONE = Object.fromEntries([...TABLES.slice(1), UNDER_WAY].map((table) => [table, 0]));
  const expire = () => other.query(`UPDATE ${UNDER_WAY} SET lease_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND`);
  const expectNothing = async (credits = TOTAL): Promise<void> => {
    expect(await leftOvers()).toEqual(NONE);
    expect(await count('campaigns', `account_id = ${accountId}`)).toBe(0);
    expect(await engine.available(accountId)).toEqual({ stored: credits, ledger: credits });
  };

  it('commits the recipients some at a time, which nothing finds, and all else with the debit', async () => {
    const sizes: number[] = [];
    const writer = engine.part(CampaignWriter);
    const statements = writer.page.bind(writer);
    vi.spyOn(writer, 'page').mockImplementation((entry, page) => {
      sizes.push(page.numbers.length);
      return statements(entry, page);
    });
    const seen: number[] = [];
    const look = async (_: unknown, { id }: AcceptedCampaign): Promise<void> => {
      for (const table of TABLES)
        seen.push(await count(table, `${table === 'campaigns' ? 'id' : 'campaign_id'} = ${id}`));
      seen.push(await count('credit_ledger', `account_id = ${accountId} AND kind = 'debit'`));
    };
    const accepted = await acceptance.accept(draft(), look);
    expect(seen).toEqual([0, TOTAL, 0, 0, 0, 0, 0]);
    expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([10_000, TOTAL]);
    const recipients = await engine.part(CampaignReader).recipients(accepted.id, { afterSeq: 0, limit: 100_000 });
    expect(recipients.map(({ number }) => number)).toEqual(numbers(TOTAL));
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
    expect(await leftOvers()).toEqual(NONE);
  });

  it('writes nothing at all for an account that cannot pay', async () => {
    const write = vi.spyOn(staged, 'write');
    await expect(acceptance.accept(draft({ unitCredits: 2 }))).rejects.toThrow(
      `Insufficient credits. Available: ${TOTAL}, Required: ${2 * TOTAL}`,
    );
    expect(write).not.toHaveBeenCalled();
    await expectNothing();
  });

  it('leaves nothing when the credits are spent while it is written', async () => {
    const spend = async (): Promise<void> => {
      await other.query('UPDATE credit_balances SET available = 7 WHERE account_id = ? AND available > 7', [accountId]);
    };
    await expect(acceptance.accept(draft(), spend)).rejects.toThrow(`Available: 7, Required: ${TOTAL}`);
    expect(await leftOvers()).toEqual(NONE);
    expect(await count('campaigns', `account_id = ${accountId}`)).toBe(0);
    expect((await engine.available(accountId)).stored).toBe(7);
  });

  it('leaves nothing when what is written alongside refuses or fails', async () => {
    const refuse = () => Promise.reject(conflict('taken', 'Taken')());
    await expect(acceptance.accept(draft(), refuse)).rejects.toThrow('Taken');
    await expectNothing();
    await expect(acceptance.accept(draft(), () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    await expectNothing();
  });

  it('answers one caller-supplied id once, also to those who ask at the same moment over two instances', async () => {
    const second = await startEngineOn(engine.database.url);
    const fields = { requestId: { given: 'large-own-id' }, fingerprint: Buffer.alloc(32, 7) };
    const answers = await Promise.all(
      [acceptance, second.get(CampaignAcceptance, { strict: false })].map((each) => each.accept(draft(fields))),
    );
    await second.close();
    expect(answers.map(({ repeated }) => repeated).sort()).toEqual([false, true]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await leftOvers()).toEqual(NONE);
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('answers it too where the first of both has spent the credits', async () => {
    const fields = { requestId: { given: 'small-own-id' }, fingerprint: Buffer.alloc(32, 7) };
    const small = (): CampaignDraft =>
      engine.draft(accountId, numbers(TOTAL), { ...fields, recipients: numbers(1), unitCredits: TOTAL });
    const first = await acceptance.accept(small());
    expect(await acceptance.accept(small())).toEqual({ ...first, repeated: true });
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('touches nothing that another process writes under the id that it drew', async () => {
    const query = staged['dataSource'].query.bind(staged['dataSource']);
    let taken = 0;
    vi.spyOn(staged['dataSource'], 'query').mockImplementationOnce(async (sql, values) => {
      [taken] = values as [number];
      await other.query(sql, values);
      await other.query(
        `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
         VALUES (?, 1, '919999999999', 0, 0, UTC_TIMESTAMP(3))`,
        [taken],
      );
      return query(sql, values);
    });
    const id = await staged.write(draft(), recipients());
    expect(taken).toBeGreaterThan(0);
    expect(id).not.toBe(taken);
    expect(await count('campaign_recipients', `campaign_id = ${taken}`)).toBe(1);
    expect(await count(UNDER_WAY)).toBe(2);
    for (const each of [taken, id]) await staged.discard(each);
    expect(await leftOvers()).toEqual(NONE);
  });

  it('is paid for once where two instances spend the same credits', async () => {
    const second = await startEngineOn(engine.database.url);
    const results = await Promise.allSettled(
      [acceptance, second.get(CampaignAcceptance, { strict: false })].map((each) => each.accept(draft())),
    );
    await second.close();
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await leftOvers()).toEqual(NONE);
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('leaves what a lost database kept to the sweeper, which takes nothing that is still being written', async () => {
    const writer = engine.part(CampaignWriter);
    const statements = writer.page.bind(writer);
    vi.spyOn(writer, 'page').mockImplementation(function* (entry, page) {
      yield* statements(entry, page);
      if (page.from > 0) throw new Error('the line was cut');
    });
    const discard = vi.spyOn(staged, 'discard').mockRejectedValue(new Error('the line was cut'));
    await expect(acceptance.accept(draft())).rejects.toThrow('the line was cut');
    discard.mockRestore();
    expect(await leftOvers()).toEqual({ ...NONE, campaign_recipients: 1_000, [UNDER_WAY]: 1 });
    await staged.sweep();
    expect(await leftOvers()).toEqual({ ...NONE, campaign_recipients: 1_000, [UNDER_WAY]: 1 });
    await expire();
    await staged.sweep();
    await expectNothing();
  });

  it('leaves nothing when the connection is killed in the middle of a commit, or of the last one', async () => {
    const writer = engine.part(CampaignWriter);
    const kill = async (tx: EntityManager): Promise<void> => {
      const [row] = await tx.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
      await other.query(`KILL ${row?.id}`);
    };
    const statements = writer.page.bind(writer);
    vi.spyOn(writer, 'page').mockImplementation(function* (entry, page) {
      yield* statements(entry, page);
      if (page.from > 0) yield { sql: 'KILL CONNECTION_ID()', values: [] };
    });
    await expect(acceptance.accept(draft())).rejects.toThrow();
    await expectNothing();
    vi.restoreAllMocks();
    await expect(acceptance.accept(draft(), kill)).rejects.toThrow();
    await expectNothing();
  });

  it('is found by no search, and left alone by what removes old days, before its campaign is there', async () => {
    const { dataSource } = engine.database;
    const id = await staged.write(draft(), recipients());
    expect(await count('campaign_recipients', `campaign_id = ${id}`)).toBe(TOTAL);
    const [number = ''] = numbers(1);
    const range = { accountId, from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000), after: null };
    expect(await new RecipientSearch(dataSource, engine.part(NumberSenders)).find([number], range)).toEqual({
      found: [],
      next: null,
      end: null,
    });
    await new Retention(dataSource, ALL_TABLES, { RETENTION_DAYS: 1 }).removeOver();
    expect(await count('campaign_recipients', `campaign_id = ${id}`)).toBe(TOTAL);
    await staged.discard(id);
    await expectNothing();
  });

  it('gives up, and leaves nothing, when a sweeper took it for dead', async () => {
    const writing = staged as unknown as {
      writeSome: (id: number, page: RecipientPage, priced: null) => Promise<void>;
    };
    const writeSome = writing.writeSome.bind(staged);
    vi.spyOn(writing, 'writeSome').mockImplementation(async (id, page, priced) => {
      if (page.from > 0) await other.query(`UPDATE ${UNDER_WAY} SET fence = fence + 1`);
      return writeSome(id, page, priced);
    });
    await expect(acceptance.accept(draft())).rejects.toThrow('lease of an acceptance expired');
    await expire();
    await staged.sweep();
    await expectNothing();
  });

  it('is swept no further once the process stops, and from there by the next one', async () => {
    const id = await staged.write(draft(), recipients());
    await expire();
    let asked = 0;
    await staged.sweep(() => ++asked > 3);
    const left = await count('campaign_recipients', `campaign_id = ${id}`);
    expect([left > 0, left < TOTAL]).toEqual([true, true]);
    await expire();
    await staged.sweep();
    await expectNothing();
  });

  it('never removes the recipients of a campaign', async () => {
    const accepted = await acceptance.accept(draft());
    await other.query(
      `INSERT INTO ${UNDER_WAY} (campaign_id, fence, lease_until, started_at)
       VALUES (?, 0, UTC_TIMESTAMP(3) - INTERVAL 1 DAY, UTC_TIMESTAMP(3))`,
      [accepted.id],
    );
    await staged.sweep();
    expect(await count(UNDER_WAY)).toBe(0);
    expect(await count('campaign_recipients', `campaign_id = ${accepted.id}`)).toBe(TOTAL);
  });

  it('writes the terms of its recipients with them, and removes them with them', async () => {
    const terms = Array.from({ length: TOTAL }, (_, index) =>
      index % 5 === 0 ? { credits: 0, variables: { n: 'ü' } } : null,
    );
    const accepted = await acceptance.accept(draft({ terms }));
    expect(await count('recipient_terms', `campaign_id = ${accepted.id}`)).toBe(TOTAL / 5);
    expect(await engine.available(accountId)).toEqual({ stored: TOTAL / 5, ledger: TOTAL / 5 });
    const refuse = () => Promise.reject(conflict('taken', 'Taken')());
    const free = terms.map((own) => ({ ...own, credits: 0 }));
    await expect(acceptance.accept(draft({ terms: free }), refuse)).rejects.toThrow('Taken');
    expect(await leftOvers()).toEqual(NONE);
  });
});
