import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../../platform/database/index.js';
import { CampaignList, type CountedCampaign } from './campaign-list.js';

/** What a request id may consist of (reference/sms#own-ids). */
const ID_TEXT = /^[A-Za-z0-9._:-]{1,64}$/;
/** Behind everything that begins with a text: no request id has it. */
const BEHIND = '~';
/** Request ids that begin alike, among which an account's own are looked for. */
const MOST_LOOKED_AT = 10_000;

/** Campaigns by the beginning of their request id, and by a part of their name. */
@Injectable()
export class CampaignSearch {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly list: CampaignList,
  ) {}

  /**
   * Request ids come first; a name is looked for among the newest campaigns, as in the list (docs/decisions/0027).
   * @param accountId whose; null = everybody's
   */
  async find(text: string, accountId: number | null, limit: number): Promise<CountedCampaign[]> {
    const byId = ID_TEXT.test(text) ? await this.byRequestId(text, accountId, limit) : [];
    const filter = { search: text, ...(accountId !== null && { accountId }) };
    const byName = byId.length >= limit ? [] : (await this.list.part(filter, { page: 1, limit, after: null })).items;
    const found = new Map(byName.map((counted) => [counted.campaign.id, counted]));
    const rows = await this.list.byIds(byId.filter((id) => !found.has(id)));
    for (const counted of rows) found.set(counted.campaign.id, counted);
    const ids = [...new Set([...byId, ...found.keys()])];
    return ids.flatMap((id) => found.get(id) ?? []).slice(0, limit);
  }

  /** Ids that we make are of capitals, or of small letters alone. */
  private async byRequestId(text: string, accountId: number | null, limit: number): Promise<number[]> {
    const spellings = [...new Set([text, text.toUpperCase(), text.toLowerCase()])];
    const owned = accountId === null ? '' : 'JOIN campaigns c ON c.id = m.id AND c.account_id = ?';
    const looks = spellings.map(
      () => `(SELECT m.id FROM (SELECT id, request_id FROM campaigns FORCE INDEX (uq_campaigns_request)
         WHERE request_id >= ? AND request_id < ? ORDER BY request_id DESC LIMIT ?) m ${owned}
         ORDER BY m.request_id DESC LIMIT ?)`,
    );
    const values = spellings.flatMap((spelling) => [
      spelling,
      `${spelling}${BEHIND}`,
      ...(accountId === null ? [limit] : [MOST_LOOKED_AT, accountId]),
      limit,
    ]);
    const rows = await this.reads.query<{ id: number }[]>(`${looks.join(' UNION ')} LIMIT ?`, [...values, limit]);
    return rows.map(({ id }) => id);
  }
}
