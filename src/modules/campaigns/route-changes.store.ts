import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type CampaignRecord, laneOf } from '../engine/index.js';

export interface RouteChange {
  at: Date;
  /** names of routes; `#<id>` of a removed route */
  from: string;
  to: string;
  reason: string;
}

/** Changes of a campaign for the same reason, with the time of the first. */
export interface CampaignRouteChange extends RouteChange {
  /** recipients a carrier refused, counted up to `MOST_REFUSED`; null = all unsent ones */
  recipients: number | null;
}

export interface RecipientRouteChange extends RouteChange {
  /** false if the recipient may have been tried before, so that only retries changed the route */
  isUntried: boolean;
}

interface ChangeRow extends RouteChange {
  lane: number;
  seq: number;
  toLane: number;
  fromSeq: number;
}

const MOST_REFUSED = 10_000;
const MOST_CHANGES = 2_000;
const MOST_SHOWN = 50;

const nameOf = (alias: string, id: string): string => `COALESCE(${alias}.name, CONCAT('#', ${id}))`;
const NAMES = `${nameOf('f', 'c.from_route')} AS \`from\`, ${nameOf('t', 'c.to_route')} AS \`to\``;
const ROUTES = 'LEFT JOIN routes f ON f.id = c.from_route LEFT JOIN routes t ON t.id = c.to_route';

/** Reads route changes of lanes and recipients (docs/decisions/0034). */
@Injectable()
export class RouteChangeReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async ofCampaign(campaignId: number): Promise<CampaignRouteChange[]> {
    const part = (which: string, limit: number): string =>
      `SELECT MIN(c.at) AS at, ${NAMES}, c.reason, ${which === '=' ? 'NULL' : 'COUNT(*)'} AS recipients
       FROM (SELECT * FROM route_changes WHERE campaign_id = ? AND seq ${which} 0 LIMIT ${limit}) c ${ROUTES}
       GROUP BY c.from_route, c.to_route, f.name, t.name, c.reason`;
    const rows = await this.dataSource.query<(RouteChange & { recipients: string | null })[]>(
      `${part('=', MOST_CHANGES)} UNION ALL ${part('>', MOST_REFUSED)} ORDER BY at LIMIT ${MOST_SHOWN}`,
      [campaignId, campaignId],
    );
    return rows.map((row) => ({ ...row, recipients: row.recipients === null ? null : Number(row.recipients) }));
  }

  async ofRecipient(campaign: CampaignRecord, seq: number): Promise<RecipientRouteChange[]> {
    const rows = await this.dataSource.query<ChangeRow[]>(
      `SELECT c.at, ${NAMES}, c.reason, c.lane, c.seq, c.to_lane AS toLane, c.from_seq AS fromSeq
       FROM route_changes c ${ROUTES} WHERE c.campaign_id = ? AND c.seq IN (0, ?) ORDER BY c.at, c.fence LIMIT ${MOST_CHANGES}`,
      [campaign.id, seq],
    );
    if (rows.length === 0) return [];
    const own = new Set([laneOf(campaign.totalRows, seq, await this.groupOf(campaign, seq))]);
    return rows.flatMap(({ lane, seq: whose, toLane, fromSeq, at, from, to, reason }) => {
      if (!own.has(lane)) return [];
      own.add(toLane);
      return [{ at, from, to, reason, isUntried: whose > 0 || seq >= fromSeq }];
    });
  }

  private async groupOf({ id, ownTerms }: CampaignRecord, seq: number): Promise<number> {
    if (!ownTerms) return 0;
    const [row] = await this.dataSource.query<{ group: number }[]>(
      'SELECT lane_group AS `group` FROM recipient_terms WHERE campaign_id = ? AND seq = ?',
      [id, seq],
    );
    return row?.group ?? 0;
  }
}
