import { firstIdAt } from '../../../kernel/ids.js';

/** What a look through the recipients of a campaign goes by. */
export interface ScannedCampaign {
  id: number;
  total_rows: number;
}

const CAMPAIGNS_A_READ = 1_000;
/** One statement's share, so that none of them runs long. */
export const RECIPIENTS_A_READ = 250_000;
/** Finding the start of a campaign's range costs about as much as looking at so many recipients. */
const CAMPAIGN_COST = 50;
/**
 * Ids are made before the rows (of a large campaign before all of its recipients are written), and by the clock of whichever
 * host: the range of ids is taken this much wider.
 */
const CLOCKS_APART_MS = 300_000;

/** Recipients that a look through a campaign counts for. */
export const costOf = ({ total_rows }: ScannedCampaign): number => total_rows + CAMPAIGN_COST;

/** No campaign accepted from this moment on has a lower id. */
export const lowestId = (from: Date): number => firstIdAt(new Date(from.getTime() - CLOCKS_APART_MS));

/** Every campaign accepted up to this moment has a lower id. */
export const idBehind = (to: Date): number => firstIdAt(new Date(to.getTime() + CLOCKS_APART_MS));

/**
 * Campaigns page by page, newest first.
 * @param before an id above all of them
 * @param read the `limit` newest campaigns below an id, newest first
 */
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

/**
 * Campaigns in groups that one statement looks through.
 * @param most cost of a group; a single campaign, and those that stay together, may cost more
 * @param stayTogether whether a campaign may not be in another group than the one before it
 */
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
