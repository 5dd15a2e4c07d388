import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance, type RecipientTerms } from '../../src/modules/engine/index.js';
import { numbers } from '../support/client.js';
import { readBlock } from '../../src/modules/engine/state/own-variables.js';
import { type Engine, startEngine } from '../support/engine.js';

describe('recipients with terms of their own', () => {
  let engine: Engine;
  let acceptance: CampaignAcceptance;

  beforeAll(async () => {
    engine = await startEngine();
    acceptance = engine.part(CampaignAcceptance);
  });
  afterAll(() => engine.stop());

  const rows = <T>(sql: string, id: number): Promise<T[]> => engine.database.dataSource.query<T[]>(sql, [id]);
  const campaignOf = async (id: number) => {
    const [campaign] = await rows<{ own: number; charged: number }>(
      'SELECT own_terms AS own, charged_credits AS charged FROM campaigns WHERE id = ?',
      id,
    );
    return campaign;
  };
  const lanesOf = (id: number) =>
    rows(
      `SELECT l.lane, l.route_id AS route, l.next_seq AS first, l.end_seq AS end, k.recipients
       FROM campaign_lanes l JOIN campaign_counters k ON k.campaign_id = l.campaign_id AND k.lane = l.lane
       WHERE l.campaign_id = ? ORDER BY l.lane`,
      id,
    );

  it('are charged theirs, and only those that differ have a row', async () => {
    const accountId = await engine.account('terms', 100);
    const terms: (RecipientTerms | null)[] = [
      null,
      { credits: 5 },
      { credits: 2, routeId: 1, variables: {} },
      { variables: { name: 'Zoë "\\' }, sender: 'SHOP' },
      { credits: 0, routeId: 9 },
    ];
    const { id } = await acceptance.accept(engine.draft(accountId, numbers(5), { unitCredits: 2, terms }));
    expect(await engine.available(accountId)).toEqual({ stored: 89, ledger: 89 });
    expect(await campaignOf(id)).toEqual({ own: 1, charged: 11 });
    const stored = await rows('SELECT * FROM recipient_terms WHERE campaign_id = ? ORDER BY seq', id);
    const none = { campaign_id: id, lane_group: 0, credits: null, sender: null, route_id: null };
    expect(stored).toEqual([
      { ...none, seq: 2, credits: 5 },
      { ...none, seq: 4, sender: 'SHOP' },
      { ...none, seq: 5, credits: 0, lane_group: 1, route_id: 9 },
    ]);
  });

  it('leave over lanes of their own routes, one group a route, where they have recipients', async () => {
    const accountId = await engine.account('routes', 10_000);
    const terms = Array.from({ length: 6_000 }, (_, index): RecipientTerms | null => {
      if (index < 10) return { routeId: 30 };
      return index === 5_999 ? { routeId: 20 } : null;
    });
    const { id } = await acceptance.accept(engine.draft(accountId, numbers(6_000), { terms }));
    expect(await lanesOf(id)).toEqual([
      { lane: 0, route: 1, first: 1, end: 2_001, recipients: 1_990 },
      { lane: 1, route: 1, first: 2_001, end: 4_001, recipients: 2_000 },
      { lane: 2, route: 1, first: 4_001, end: 6_001, recipients: 1_999 },
      { lane: 10, route: 20, first: 4_001, end: 6_001, recipients: 1 },
      { lane: 16, route: 30, first: 1, end: 2_001, recipients: 10 },
    ]);
    const [campaign] = await rows('SELECT open_lanes AS lanes FROM campaigns WHERE id = ?', id);
    expect(campaign).toEqual({ lanes: 5 });
  });

  it('form groups by chain, of which those with more than one route are kept', async () => {
    const accountId = await engine.account('chains', 10_000);
    const terms: (RecipientTerms | null)[] = [
      null,
      { routeId: 30, fallbacks: [20, 1] },
      { routeId: 1 },
      { fallbacks: [] },
      { routeId: 20 },
      { routeId: 30, fallbacks: [20, 1] },
      { fallbacks: [20, 30] },
    ];
    const { id } = await acceptance.accept(engine.draft(accountId, numbers(7), { terms, fallbacks: [20, 30] }));
    expect(
      await rows('SELECT lane, route_id AS route FROM campaign_lanes WHERE campaign_id = ? ORDER BY lane', id),
    ).toEqual([
      { lane: 0, route: 1 },
      { lane: 8, route: 1 },
      { lane: 16, route: 20 },
      { lane: 24, route: 30 },
    ]);
    const groups = 'SELECT seq, lane_group AS own FROM recipient_terms WHERE campaign_id = ? ORDER BY seq';
    expect(await rows(groups, id)).toEqual([
      { seq: 2, own: 3 },
      { seq: 4, own: 1 },
      { seq: 5, own: 2 },
      { seq: 6, own: 3 },
    ]);
    const chains =
      'SELECT lane_group AS own, route_ids AS routes FROM campaign_routes WHERE campaign_id = ? ORDER BY lane_group';
    expect(await rows(chains, id)).toEqual([
      { own: 0, routes: '1,20,30' },
      { own: 3, routes: '30,20,1' },
    ]);
  });

  it('are refused where a chain names a route twice', async () => {
    const accountId = await engine.account('circle', 10);
    await expect(acceptance.accept(engine.draft(accountId, numbers(1), { fallbacks: [2, 1] }))).rejects.toThrow(
      RangeError,
    );
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('make a plain campaign when none of them differs', async () => {
    const accountId = await engine.account('plain', 10);
    const terms = [null, { credits: 1 }, { routeId: 1, variables: {} }];
    const { id } = await acceptance.accept(engine.draft(accountId, numbers(3), { terms }));
    expect(await campaignOf(id)).toEqual({ own: 0, charged: 3 });
    expect(await rows('SELECT * FROM recipient_terms WHERE campaign_id = ?', id)).toEqual([]);
  });

  it('are refused together when their sum is more than there is', async () => {
    const accountId = await engine.account('sum', 10);
    const terms = [{ credits: 4 }, { credits: 7 }];
    await expect(acceptance.accept(engine.draft(accountId, numbers(2), { terms }))).rejects.toThrow(
      'Insufficient credits. Available: 10, Required: 11',
    );
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('stand beside the recipients one each, and cost no less than nothing', async () => {
    const accountId = await engine.account('odd', 10);
    for (const terms of [[null], [null, { credits: -1 }], [null, { credits: 0.5 }]]) {
      await expect(acceptance.accept(engine.draft(accountId, numbers(2), { terms }))).rejects.toThrow(RangeError);
    }
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('may be larger together than a statement', async () => {
    const accountId = await engine.account('long', 10_000);
    const text = '😀'.repeat(1_500);
    const terms = Array.from({ length: 2_000 }, (_, index) => ({ variables: { text: `${index} ${text}` } }));
    const { id } = await acceptance.accept(engine.draft(accountId, numbers(2_000), { terms }));
    expect(await rows('SELECT seq FROM recipient_terms WHERE campaign_id = ?', id)).toEqual([]);
    const blocks = await rows<{ block: number; variables: string }>(
      'SELECT block, variables FROM recipient_variables WHERE campaign_id = ? ORDER BY block',
      id,
    );
    expect(blocks.map(({ block }) => block)).toEqual(Array.from({ length: 20 }, (_, block) => block));
    const stored = blocks.flatMap(({ variables }) => readBlock(variables));
    expect(stored).toEqual(terms.map(({ variables }) => variables));
  });
});
