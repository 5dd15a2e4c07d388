import { firstIdAt } from '../../kernel/ids.js';

export interface ScannedCampaign {
  id: number;
  total_rows: number;
}

const CAMPAIGNS_A_READ = 1_000;
/** Limit per statement, so that none runs long. */
export const RECIPIENTS_A_READ = 250_000;
/** Cost of finding a campaign's range, in recipients. */
const CAMPAIGN_COST = 50;
/** Margin for ids, which are made before the rows (of a large draft long before) and by any host's clock. */
const CLOCKS_APART_MS = 300_000;

export const costOf = ({ total_rows }: ScannedCampaign): number => total_rows + CAMPAIGN_COST;

/** Campaigns accepted from this time on have no lower id. */
export const lowestId = (from: Date): number => firstIdAt(new Date(from.getTime() - CLOCKS_APART_MS));

/** Campaigns accepted up to this time have a lower id. */
export const idBehind = (to: Date): number => firstIdAt(new Date(to.getTime() + CLOCKS_APART_MS));

/** Campaigns in pages, newest first. @param before an id above all of them */
export async function* newestFirst<C extends ScannedCampaign>(
  before: number,
  read: (before: number, limit: number) => Promise<C[]>,
): AsyncGenerator<C, void, undefined> {
  for (let below = before; ;) {
    const campaigns = await read(below, CAMPAIGNS_A_READ);
    yield* campaigns;
    const last = campaigns.at(-1);
    if (!last || campaigns.length < CAMPAIGNS_A_READ) return;
    below = last.id;
  }
}

/** Campaigns in groups, one statement each. @param most cost of a group, except single campaigns and `stayTogether` */
export async function* grouped<C extends ScannedCampaign>(
  campaigns: AsyncIterable<C>,
  most: number,
  stayTogether: (before: C, campaign: C) => boolean = () => false,
): AsyncGenerator<C[], void, undefined> {
  let group: C[] = [];
  let cost = 0;
  for await (const campaign of campaigns) {
    const last = group.at(-1);
    if (last && cost + costOf(campaign) > most && !stayTogether(last, campaign)) {
      yield group;
      group = [];
      cost = 0;
    }
    group.push(campaign);
    cost += costOf(campaign);
  }
  if (group.length > 0) yield group;
}
