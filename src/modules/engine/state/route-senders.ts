import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { firstIdAt } from '../../../kernel/ids.js';
import { costOf, grouped, newestFirst, RECIPIENTS_A_READ, type ScannedCampaign } from './campaign-scan.js';

interface RouteCampaign extends ScannedCampaign {
  account_id: number;
}

/** Recipients that one search looks at: a few seconds of the database's time. An answer follows its message soon. */
const MOST_RECIPIENTS = 5_000_000;

/**
 * The account that sent to a number last over a route. No index on numbers, which would cost every broadcast a third of its speed: the
 * route's campaigns are looked through, newest first and up to a bound, for many numbers at once.
 */
@Injectable()
export class RouteSenders {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * @param numbers digits; one search serves as many as there are
   * @param days how long ago the campaign may have been accepted
   * @returns by number, the account whose newest campaign over the route really tried it; numbers without one are missing
   */
  async lastTo(routeId: number, numbers: Iterable<string>, days: number): Promise<Map<string, number>> {
    const senders = new Map<string, number>();
    const open = new Set(numbers);
    const oldest = firstIdAt(new Date(now().getTime() - days * 86_400_000));
    let left = MOST_RECIPIENTS;
    for await (const group of grouped(this.campaigns(routeId, oldest), RECIPIENTS_A_READ)) {
      if (open.size === 0 || left <= 0) break;
      const rows: { number: string; campaign_id: number }[] = await this.dataSource.query(
        `SELECT receiver AS number, MAX(campaign_id) AS campaign_id FROM campaign_recipients
         WHERE campaign_id IN (?) AND receiver IN (?) AND attempts > 0 GROUP BY receiver`,
        [group.map(({ id }) => id), [...open]],
      );
      const owners = new Map(group.map((campaign) => [campaign.id, campaign.account_id]));
      for (const { number, campaign_id: id } of rows) {
        const owner = owners.get(Number(id));
        if (owner !== undefined) senders.set(number, owner);
        open.delete(number);
      }
      for (const campaign of group) left -= costOf(campaign);
    }
    return senders;
  }

  /** The route's campaigns, newest first. */
  private campaigns(routeId: number, oldest: number): AsyncGenerator<RouteCampaign, void, undefined> {
    return newestFirst(Number.MAX_SAFE_INTEGER, (before, limit) =>
      this.dataSource.query<RouteCampaign[]>(
        `SELECT id, account_id, total_rows FROM campaigns WHERE route_id = ? AND id >= ? AND id < ?
         ORDER BY id DESC LIMIT ?`,
        [routeId, oldest, before, limit],
      ),
    );
  }
}
