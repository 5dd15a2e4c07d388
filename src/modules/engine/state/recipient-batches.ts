import type { RecipientRecord } from './campaign.js';
import type { RecipientStatus } from './recipient-status.js';
import type { CampaignReader } from './campaign-reader.js';

/** Which records of a campaign a report shows; all of them when empty. */
export interface RecordSelection {
  /** a label of the channel, such as DELIVERED */
  status?: string;
  /** one page of the (filtered) records */
  page?: { page: number; limit: number };
}

const ROWS_A_CHUNK = 2_000;

/**
 * Reads recipients in keyset chunks, in the order of the contacts. Every chunk is one short query; no connection and
 * no snapshot is held between them, so a slow reader costs the database nothing.
 * @param statuses only these; undefined = all
 */
export async function* recipientBatches(
  reader: CampaignReader,
  campaignId: number,
  statuses: readonly RecipientStatus[] | undefined,
  page: RecordSelection['page'],
): AsyncGenerator<RecipientRecord[], void, undefined> {
  if (statuses?.length === 0) return;
  const offset = page ? (page.page - 1) * page.limit : 0;
  // Without a filter seq counts 1, 2, 3 …, so a page begins at a known key; with one, earlier matches are passed over.
  let afterSeq = statuses ? 0 : offset;
  let toSkip = statuses ? offset : 0;
  let toTake = page ? page.limit : Number.POSITIVE_INFINITY;
  while (toTake > 0) {
    const limit = Math.min(ROWS_A_CHUNK, toSkip + toTake);
    const rows = await reader.recipients(campaignId, { afterSeq, limit, ...(statuses && { status: statuses }) });
    const shown = rows.slice(toSkip, toSkip + toTake);
    toSkip = Math.max(0, toSkip - rows.length);
    toTake -= shown.length;
    if (shown.length > 0) yield shown;
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    afterSeq = last.seq;
  }
}
