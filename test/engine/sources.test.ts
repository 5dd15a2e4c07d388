import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/kernel/errors.js';
import { smsChannel } from '../../src/modules/channels/sms/index.js';
import { LargeDraftRecipients } from '../../src/modules/engine/accept/large-drafts.js';
import type { DraftHead } from '../../src/modules/engine/accept/draft.js';
import {
  CampaignAcceptance,
  type RecipientSource,
  type SourcedRecipient,
  type Submission,
  Submissions,
} from '../../src/modules/engine/index.js';
import { DriverRegistry, RouteDirectory } from '../../src/modules/providers/index.js';
import { Rates } from '../../src/modules/rates/index.js';
import type { RoutePlan } from '../../src/modules/routing/index.js';
import { readBlock } from '../../src/modules/engine/state/own-variables.js';
import type { WriteResult } from '../../src/platform/database/index.js';
import { type Engine, startEngine } from '../support/engine.js';
import { until } from '../support/processes.js';
import { CampaignWriter } from '../../src/modules/engine/accept/campaign-writer.js';
import type { RecipientFault } from '../../src/modules/engine/accept/pricing.js';

const LARGE = 25_000;
const CHAINS: readonly (readonly number[])[] = [[1], [2, 1], [3], [3, 2]];
const plan = (chainOf: RoutePlan['chainOf']): RoutePlan => ({ only: null, chainOf });
const ONE = plan(() => [1]);
const TABLES = ['campaign_recipients', 'recipient_terms', 'recipient_variables', 'acceptances_under_way'];

/** Reads are counted. @param end so many are given, whatever the source has said */
function sourceOf(recipients: readonly SourcedRecipient[], end = recipients.length) {
  const reads: number[] = [];
  const source: RecipientSource = {
    total: recipients.length,
    async *read() {
      reads.push(0);
      for (let from = 0; from < end; from += 3_000) {
        await Promise.resolve();
        yield recipients.slice(from, Math.min(from + 3_000, end));
      }
    },
  };
  return { source, reads };
}

const people = (count: number, variables: (at: number) => SourcedRecipient['variables']): SourcedRecipient[] =>
  Array.from({ length: count }, (_, at) => {
    const own = variables(at);
    return { row: at + 1, number: String(919_000_000_000 + at), ...(own && { variables: own }) };
  });

describe('a submission whose recipients come from a source', () => {
  let engine: Engine;
  let submissions: Submissions;
  let serial = 0;

  beforeAll(async () => {
    engine = await startEngine();
    submissions = engine.part(Submissions);
  });
  afterAll(() => engine.stop());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const rows = <T>(sql: string, values: unknown[]): Promise<T[]> => engine.database.dataSource.query<T[]>(sql, values);
  const account = (credits: number): Promise<number> => engine.account(`source${++serial}`, credits);
  const submission = (accountId: number, source: RecipientSource, fields: Partial<Submission> = {}): Submission =>
    ({
      channel: smsChannel,
      sender: { accountId, timeZone: 'UTC' },
      broadcastName: 'source',
      service: 'sandbox',
      content: { message: 'Hi {{name}}', personalised: true },
      source,
      ...fields,
    }) as Submission;
  const accept = (accountId: number, source: RecipientSource, fields: Partial<Submission> = {}, routes = ONE) =>
    submissions.accept(submission(accountId, source, fields), { scheduledAt: new Date(Date.now() + 1e9), routes });
  const expectNothing = async (accountId: number, credits: number): Promise<void> => {
    expect(await engine.available(accountId)).toEqual({ stored: credits, ledger: credits });
    expect(await rows('SELECT id FROM campaigns WHERE account_id = ?', [accountId])).toEqual([]);
    for (const table of TABLES) {
      const left = `SELECT 1 FROM ${table} WHERE campaign_id NOT IN (SELECT id FROM campaigns) LIMIT 1`;
      expect(await rows(left, []), table).toEqual([]);
    }
  };
  /** Recipients as they are stored, with what is their own. */
  const stored = async (id: number) => {
    const found = await rows<{ seq: number; number: string; credits: number | null; chain: number }>(
      `SELECT r.seq, r.receiver AS number, t.credits, COALESCE(t.lane_group, 0) AS chain FROM campaign_recipients r
       LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE r.campaign_id = ? ORDER BY r.seq`,
      [id],
    );
    const blocks = await rows<{ block: number; variables: string }>(
      'SELECT block, variables FROM recipient_variables WHERE campaign_id = ?',
      [id],
    );
    const variables = new Map<number, unknown>();
    for (const { block, variables: text } of blocks) {
      for (const [at, value] of readBlock(text).entries()) variables.set(block * 100 + at + 1, value);
    }
    return found.map((row) => ({ ...row, chain: Number(row.chain), variables: variables.get(row.seq) ?? null }));
  };

  it('keeps the variables of each, and charges each by its own text', async () => {
    const accountId = await account(100_000);
    const recipients = people(LARGE, (at) => ({ name: at % 10 === 0 ? 'x'.repeat(200) : `Ann ${at}` }));
    const { source, reads } = sourceOf(recipients);
    const accepted = await accept(accountId, source);
    const charged = 0.9 * LARGE + 0.1 * LARGE * 2;
    expect(accepted).toMatchObject({ totalRows: LARGE, unitCredits: 1, chargedCredits: charged });
    expect(await engine.available(accountId)).toEqual({ stored: 100_000 - charged, ledger: 100_000 - charged });
    expect(reads).toHaveLength(1);
    const found = await stored(accepted.id);
    expect(found.map(({ number, variables }) => ({ number, variables }))).toEqual(
      recipients.map(({ number, variables }) => ({ number, variables })),
    );
    expect(found.filter(({ credits }) => credits !== null)).toHaveLength(LARGE / 10);
    const [campaign] = await rows('SELECT own_terms, own_kinds FROM campaigns WHERE id = ?', [accepted.id]);
    expect(campaign).toEqual({ own_terms: 1, own_kinds: 4 });
  });

  it('tells of the first hundred at fault, and writes nothing', async () => {
    const accountId = await account(LARGE);
    const recipients = people(LARGE, (at) => (at % 100 === 7 ? {} : { name: at === 8 ? 'x'.repeat(9_000) : 'Ann' }));
    const { source, reads } = sourceOf(recipients);
    let told: readonly RecipientFault[] = [];
    const refused = (faults: readonly RecipientFault[]): AppError => {
      told = faults;
      return new AppError('invalid', 'rows', 'Rows are at fault').naming(faults);
    };
    await expect(accept(accountId, source, { refused })).rejects.toThrow('Rows are at fault');
    expect(told).toHaveLength(100);
    expect(told.slice(0, 3)).toMatchObject([
      { row: 8, value: '919000000007', missing: ['name'] },
      { row: 9, message: 'Message is too long' },
      { row: 108, missing: ['name'] },
    ]);
    expect(reads).toHaveLength(1);
    await expectNothing(accountId, LARGE);
    const long = people(1, () => ({ name: 'Ann', other: 'x'.repeat(30_000) }));
    await expect(accept(accountId, sourceOf(long).source)).rejects.toThrow('variables are too long');
    const numberCheck = (number: string) =>
      number.endsWith('1') ? { error: new AppError('invalid', 'number', 'is no number') } : null;
    const named = people(3, () => ({ name: 'Ann' }));
    await expect(accept(accountId, sourceOf(named).source, { numberCheck })).rejects.toThrow('is no number');
    const lost = plan((number) => (number.endsWith('2') ? null : [1]));
    const noRoute = 'No route available for this channel';
    await expect(accept(accountId, sourceOf(named).source, {}, lost)).rejects.toThrow(noRoute);
    await expectNothing(accountId, LARGE);
  });

  it('leaves nothing when it ends differently, breaks off, or costs too much', async () => {
    const accountId = await account(LARGE);
    const recipients = people(LARGE, () => ({ name: 'Ann' }));
    await expect(accept(accountId, sourceOf(recipients, LARGE - 1).source)).rejects.toThrow(`gave ${LARGE - 1}`);
    await expectNothing(accountId, LARGE);
    const few = recipients.slice(0, 500);
    await expect(accept(accountId, sourceOf(few, 499).source)).rejects.toThrow('gave 499');
    await expectNothing(accountId, LARGE);
    const writer = engine.part(CampaignWriter);
    const statements = writer.page.bind(writer);
    vi.spyOn(writer, 'page').mockImplementation(function* (entry, page) {
      yield* statements(entry, page);
      if (page.from > 0) throw new Error('the line was cut');
    });
    await expect(accept(accountId, sourceOf(recipients).source)).rejects.toThrow('the line was cut');
    await expectNothing(accountId, LARGE);
    vi.restoreAllMocks();
    const poor = await account(LARGE - 1);
    await expect(accept(poor, sourceOf(recipients).source)).rejects.toThrow(
      `Insufficient credits. Available: ${LARGE - 1}, Required: ${LARGE}`,
    );
    await expectNothing(poor, LARGE - 1);
  });

  /** Recipients that were handed to the database, before it was known whether there would be a campaign of them. */
  const writtenEarly = (): { recipients: number } => {
    const early = { recipients: 0 };
    const writer = engine.part(CampaignWriter);
    const statements = writer.page.bind(writer);
    vi.spyOn(writer, 'page').mockImplementation((entry, page) => {
      if (!entry.sum) early.recipients += page.numbers.length;
      return statements(entry, page);
    });
    return early;
  };

  it('of a large one writes recipients while others are priced, and what is their own once all are', async () => {
    const accountId = await account(100_000);
    const recipients = people(LARGE, (at) => ({ name: at % 3 === 0 ? 'x'.repeat(200) : `Ann ${at}` }));
    const routes = plan((number) => (number.endsWith('5') ? [2, 1] : [1]));
    const early = writtenEarly();
    const { id, unitCredits } = await accept(accountId, sourceOf(recipients).source, {}, routes);
    expect(early.recipients).toBe(LARGE);
    const found = await stored(id);
    expect(found.map((row) => [row.number, row.credits ?? unitCredits, row.chain, row.variables])).toEqual(
      recipients.map(({ number, variables }, at) => [number, at % 3 === 0 ? 2 : 1, number.endsWith('5') ? 1 : 0, variables]), // prettier-ignore
    );
    expect(await rows('SELECT 1 FROM acceptances_under_way', [])).toEqual([]);
  });

  it('removes what was written early, where anything is refused afterwards', async () => {
    const accountId = await account(LARGE);
    const recipients = people(LARGE, (at) => (at === LARGE - 1 ? {} : { name: 'Ann' }));
    const refused = () => new AppError('invalid', 'rows', 'Rows are at fault');
    const early = writtenEarly();
    await expect(accept(accountId, sourceOf(recipients).source, { refused })).rejects.toThrow('Rows are at fault');
    expect(early.recipients).toBe(21_000);
    await expectNothing(accountId, LARGE);
    const good = sourceOf(people(LARGE, () => ({ name: 'Ann' }))).source;
    const assertDemands = (): void => {
      throw new AppError('invalid', 'demand', 'The route wants more');
    };
    const channel = { ...smsChannel, assertDemands };
    vi.spyOn(engine.part(RouteDirectory), 'byId').mockResolvedValue({ id: 1 } as Awaited<
      ReturnType<RouteDirectory['byId']>
    >);
    vi.spyOn(engine.part(DriverRegistry), 'demandsOf').mockReturnValue({ dltTemplateId: true, dltEntityId: false });
    early.recipients = 0;
    await expect(accept(accountId, good, { channel })).rejects.toThrow('The route wants more');
    expect(early.recipients).toBe(LARGE);
    await expectNothing(accountId, LARGE);
    vi.restoreAllMocks();
    const alongside = () => Promise.reject(new AppError('conflict', 'frozen', 'The list has changed'));
    const terms = { scheduledAt: new Date(Date.now() + 1e9), routes: ONE };
    await expect(submissions.accept(submission(accountId, good), terms, alongside)).rejects.toThrow('has changed');
    await expectNothing(accountId, LARGE);
  });

  it('gives up, and leaves nothing, when a sweeper took it for dead while it was priced', async () => {
    const accountId = await account(LARGE);
    const { source: all } = sourceOf(people(LARGE, () => ({ name: 'Ann' })));
    const isTaken = async (): Promise<boolean> => {
      const { affectedRows } = await engine.database.dataSource.query<WriteResult>(
        'UPDATE acceptances_under_way SET fence = fence + 1',
      );
      return affectedRows > 0;
    };
    let read = 0;
    const source: RecipientSource = {
      total: LARGE,
      async *read() {
        for await (const some of all.read()) {
          yield some;
          read += some.length;
          if (read === 6_000) await until('the acceptance to be under way', isTaken);
        }
      },
    };
    await expect(accept(accountId, source)).rejects.toThrow('lease of an acceptance expired');
    await rows('UPDATE acceptances_under_way SET lease_until = UTC_TIMESTAMP(3)', []);
    await engine.part(LargeDraftRecipients).sweep();
    await expectNothing(accountId, LARGE);
  });

  it('keeps the places of recipients that are sent to again', async () => {
    const accountId = await account(100_000);
    const failed = people(2 * LARGE, (at) => ({ name: at % 4 === 0 ? 'x'.repeat(200) : 'Ann' })).filter(({ row }) => row % 2 === 1); // prettier-ignore
    const { source } = sourceOf(failed);
    const sent = submission(accountId, source);
    const pricer = await submissions.pricerOf(sent, ONE);
    const { common, ...recipients } = await submissions.priced(accountId, source, pricer, { isRetry: true });
    const { content, broadcastName, service } = sent;
    const head = {
      accountId,
      channel: 'sms',
      broadcastName,
      service,
      content,
      category: null,
      initialState: 'accepted',
    };
    const requestId = { make: () => `retry-${accountId}` };
    const draft = { ...head, ...common, requestId, retryOf: 'first' } as DraftHead;
    const { id, chargedCredits } = await engine.part(CampaignAcceptance).acceptRecipients(draft, recipients);
    expect(chargedCredits).toBe(1.5 * LARGE);
    const places = await rows<{ source: number; credits: number | null }>(
      `SELECT r.source_seq AS source, t.credits FROM campaign_recipients r
       LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq WHERE r.campaign_id = ? ORDER BY r.seq`,
      [id],
    );
    expect(places.map(({ source: place }) => place)).toEqual(failed.map(({ row }) => row));
    expect(new Set(places.map(({ credits }) => credits))).toEqual(new Set([null, 1]));
  });

  it('writes no more early than the account can pay for', async () => {
    const early = writtenEarly();
    for (const [credits, most] of [
      [0, 0],
      [12_000, 11_000],
    ] as const) {
      early.recipients = 0;
      const accountId = await account(credits);
      const { source } = sourceOf(people(LARGE, () => ({ name: 'Ann' })));
      await expect(accept(accountId, source)).rejects.toThrow(`Available: ${credits}, Required: ${LARGE}`);
      expect(early.recipients).toBe(most);
      await expectNothing(accountId, credits);
    }
  });

  it('lets others have their turn while texts are made', async () => {
    const accountId = await account(0);
    const text = `{{name}} ${'€'.repeat(150)}`;
    const { source } = sourceOf(people(60_000, (at) => ({ name: `Ann ${at}` })));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const began = performance.now();
    const quote = await submissions.quote(
      submission(accountId, source, { content: { message: text, personalised: true } }),
    );
    const took = performance.now() - began;
    clearInterval(timer);
    expect(quote.histogram.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(60_000);
    expect(longest).toBeLessThan(Math.max(100, took / 2));
  });

  it('says by segments what it would cost', async () => {
    const accountId = await account(0);
    const recipients = people(10, (at) => ({ name: at < 3 ? 'x'.repeat(200) : 'Ann' }));
    expect(await submissions.quote(submission(accountId, sourceOf(recipients).source))).toMatchObject({
      recipients: 10,
      credits: 13,
      histogram: [
        { segments: 1, recipients: 7, credits: 7 },
        { segments: 2, recipients: 3, credits: 6 },
      ],
    });
  });

  it('adds up to what each costs, whatever they are: balance, ledger, usage and lanes agree', async () => {
    const person = fc.record({
      code: fc.constantFrom('91', '44', '1', '971'),
      length: fc.constantFrom(1, 20, 200, 400),
      chain: fc.nat(CHAINS.length - 1),
    });
    const terms = fc.record({
      people: fc.array(person, { minLength: 1, maxLength: 300 }),
      rates: fc.option(fc.dictionary(fc.constantFrom('91', '44', '9'), fc.nat(5))),
    });
    await fc.assert(
      fc.asyncProperty(terms, async ({ people: some, rates }) => {
        const accountId = await account(100_000);
        const perSegment = (number: string): number | null =>
          rates?.[number.slice(0, 2)] ?? rates?.[number.slice(0, 1)] ?? null;
        vi.spyOn(engine.part(Rates), 'pricerFor').mockResolvedValue(
          rates && ({ perSegment } as Awaited<ReturnType<Rates['pricerFor']>>),
        );
        const recipients = some.map(({ code, length }, at): SourcedRecipient => {
          return { row: at + 1, number: `${code}${5_000_000_000 + at}`, variables: { name: 'x'.repeat(length) } };
        });
        const chains = new Map(recipients.map(({ number }, at) => [number, CHAINS[some[at]?.chain ?? 0] ?? [1]]));
        const segments = some.map(({ length }) => (length + 3 <= 160 ? 1 : Math.ceil((length + 3) / 153)));
        const costs = recipients.map(({ number }, at) => {
          const each = perSegment(number);
          return each === null ? (segments[at] ?? 0) : each * (segments[at] ?? 0);
        });
        const charged = costs.reduce((sum, each) => sum + each, 0);
        const routes = plan((number) => chains.get(number) ?? null);
        const { id, unitCredits } = await accept(accountId, sourceOf(recipients).source, {}, routes);
        expect(await engine.available(accountId)).toEqual({ stored: 100_000 - charged, ledger: 100_000 - charged });
        const found = await stored(id);
        expect(found.map(({ credits }) => credits ?? unitCredits)).toEqual(costs);
        const [usage] = await rows<{ credits: string | null; recipients: string | null }>(
          `SELECT SUM(charged_credits) AS credits, SUM(charged_recipients) AS recipients FROM usage_counters
           WHERE account_id = ?`,
          [accountId],
        );
        const paying = costs.filter((each) => each > 0).length;
        expect([Number(usage?.credits), Number(usage?.recipients)]).toEqual([charged, paying]);
        const lanes = await rows<{ group_of: number; route: number; recipients: number; chain: string | null }>(
          `SELECT l.lane DIV 8 AS group_of, l.route_id AS route, k.recipients, o.route_ids AS chain FROM campaign_lanes l
           JOIN campaign_counters k ON k.campaign_id = l.campaign_id AND k.lane = l.lane
           LEFT JOIN campaign_routes o ON o.campaign_id = l.campaign_id AND o.lane_group = l.lane DIV 8
           WHERE l.campaign_id = ?`,
          [id],
        );
        const byChain = new Map<string, number>();
        for (const chain of chains.values()) byChain.set(chain.join(), (byChain.get(chain.join()) ?? 0) + 1);
        expect(new Map(lanes.map((lane) => [lane.chain ?? String(lane.route), lane.recipients]))).toEqual(byChain);
        const chainOf = new Map(lanes.map((lane) => [Number(lane.group_of), lane.chain ?? String(lane.route)]));
        expect(found.map(({ chain }) => chainOf.get(chain))).toEqual(
          recipients.map(({ number }) => chains.get(number)?.join()),
        );
      }),
      { numRuns: 15 },
    );
  });
});
