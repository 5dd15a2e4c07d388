import { randomBytes } from 'node:crypto';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { CustomerEvents } from '../../src/modules/customer-events/index.js';
import { HouseDays } from '../../src/modules/settlements/house-days.store.js';
import { SettledRows } from '../../src/modules/settlements/settled-rows.js';
import { SettlementMaker } from '../../src/modules/settlements/settlement-maker.js';
import { signingKey } from '../../src/modules/settlements/settlement-key.js';
import { SettlementStore } from '../../src/modules/settlements/settlements.store.js';
import { LeaderGate } from '../../src/platform/periodic/index.js';
import type { RecipientProof, SignedSettlement } from '../../packages/verify/src/index.js';
import { type Campaigns, campaignsOf, dataOf } from '../support/campaigns.js';
import { type Answer, type Member, openApi } from '../support/sms.js';

export type Settlements = Awaited<ReturnType<typeof openSettlements>>;

export const newSeed = (): string => randomBytes(32).toString('hex');

/** Whole lines of a text. */
export async function* linesIn(text: string): AsyncGenerator<string, void, undefined> {
  for (const line of text.replace(/\n$/, '').split('\n')) yield await Promise.resolve(line);
}

/** A worker's maker of settlements, without its worker. */
export function makerOf({ dataSource, part }: Pick<Campaigns, 'dataSource' | 'part'>, seed: string): SettlementMaker {
  const store = new SettlementStore(part(CustomerEvents));
  return new SettlementMaker(
    dataSource,
    part(LeaderGate),
    part(SettledRows),
    store,
    { key: signingKey(seed) },
    new HouseDays(dataSource),
  );
}

/** An API, with a worker's maker of settlements beside it. */
export async function openSettlements() {
  const campaigns = campaignsOf(await openApi());
  const { get, url } = campaigns;
  const makerWith = (seed: string): SettlementMaker => makerOf(campaigns, seed);
  const maker = makerWith(newSeed());

  return {
    ...campaigns,
    makerWith,
    settleDue: () => maker.settleDue(),

    /** A campaign in which everybody got it, but for those that failed; settled unless told otherwise. */
    done: async (member: Member, contacts: string[], failed: readonly number[] = []): Promise<string> => {
      const requestId = await campaigns.send(member, contacts);
      const all = contacts.map((_, index) => index + 1);
      await campaigns.begin(requestId);
      await campaigns.settle(requestId, failed, RecipientStatus.Failed, 'Suppressed', true);
      const delivered = all.filter((seq) => !failed.includes(seq));
      await campaigns.settle(requestId, delivered, RecipientStatus.Delivered);
      return requestId;
    },

    settlement: async (member: Member, requestId: string): Promise<SignedSettlement> =>
      dataOf(await get(`/v6/api/campaigns/${requestId}/settlement`, member)) as unknown as SignedSettlement,

    proof: async (member: Member, requestId: string, seq: number): Promise<RecipientProof> =>
      dataOf(await get(`/v6/api/campaigns/${requestId}/contacts/${seq}/proof`, member)) as unknown as RecipientProof,

    bundle: async (member: Member, requestId: string): Promise<string> => {
      const headers = { authorization: `Bearer ${member.token}` };
      const answer = await fetch(`${url}/v6/api/campaigns/${requestId}/settlement?format=bundle`, { headers });
      if (answer.status !== 200) throw new Error(`bundle: ${answer.status} ${await answer.text()}`);
      return answer.text();
    },

    answer: (member: Member, path: string): Promise<Answer> => get(`/v6/api/${path}`, member),
  };
}

export const numbers = (count: number, from = 919_800_000_000): string[] =>
  Array.from({ length: count }, (_, index) => String(from + index));
