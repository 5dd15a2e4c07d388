import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Listed, Page } from '../../kernel/lists.js';
import { inListedOrder, type KeyRange, listKeys } from '../../platform/database/index.js';
import { type CampaignRecord, type TimelineEvent, TimelineSources } from '../engine/index.js';
import type { ReplyState } from './reception/inbound-message.js';

export interface ListedText {
  id: number;
  routeId: number;
  accountId: number;
  sender: string;
  recipient: string;
  text: string;
  encoding: string;
  parts: number;
  incomplete: number;
  keyword: string | null;
  campaignId: number | null;
  seq: number | null;
  replyState: ReplyState;
  receivedAt: Date;
}

/** null = any */
export interface TextFilter {
  /** spellings of one sender */
  from: readonly string[] | null;
  to: string | null;
  keyword: string | null;
}

const MOST_OF_ONE = 100;

/** Reads inbound texts of the API. */
@Injectable()
export class InboundReader implements Pick<TimelineSources, 'timelineOf'> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    sources: TimelineSources,
  ) {
    sources.register(this);
  }

  /** An account's texts, newest first. @param accountId 0 = the operator's inbox */
  async part(accountId: number, { from, to, keyword }: TextFilter, page: Page): Promise<Listed<ListedText>> {
    const conditions: [string, unknown][] = [];
    if (to !== null) conditions.push(['t.recipient = ?', to]);
    if (keyword !== null) conditions.push(['t.keyword = ?', keyword]);
    const filter: KeyRange = {
      where: conditions.map(([sql]) => sql).join(' AND '),
      values: conditions.map(([, value]) => value),
    };
    const ids = await listKeys<number>(
      this.dataSource,
      {
        ...{ table: 'inbound_messages', key: 'id', order: 'DESC' },
        ...(from === null
          ? { index: 'ix_inbound_messages_account', ranges: [{ where: 'account_id = ?', values: [accountId] }] }
          : {
              index: 'ix_inbound_messages_sender',
              ranges: from.map((number) => ({
                where: 'account_id = ? AND sender = ?',
                values: [accountId, number],
              })),
            }),
        ...(conditions.length > 0 && { filter }),
      },
      page,
    );
    return inListedOrder(ids, await this.byIds(ids.items), ({ id }) => id);
  }

  async byId(id: number): Promise<ListedText | null> {
    return (await this.byIds([id]))[0] ?? null;
  }

  /** Texts that answer a recipient, as events of its timeline. */
  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const rows: { id: number; sender: string; text: string; keyword: string | null; receivedAt: Date }[] =
      await this.dataSource.query(
        `SELECT id, sender, text, keyword, received_at AS receivedAt FROM inbound_messages
         WHERE campaign_id = ? AND seq = ? AND account_id = ? ORDER BY id LIMIT ${MOST_OF_ONE}`,
        [campaign.id, seq, campaign.accountId],
      );
    return rows.map(({ id, sender: from, text, keyword, receivedAt: at }) => ({
      at,
      event: 'answer',
      details: { id, from, text, keyword },
    }));
  }

  private byIds(ids: readonly number[]): Promise<ListedText[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.dataSource.query(
      `SELECT id, route_id AS routeId, account_id AS accountId, sender, recipient, text, encoding, parts, incomplete, keyword,
         campaign_id AS campaignId, seq, reply_state AS replyState, received_at AS receivedAt
       FROM inbound_messages WHERE id IN (?)`,
      [ids],
    );
  }
}
