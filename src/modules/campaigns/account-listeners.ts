import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { makerPrefix } from '../../kernel/maker.js';
import {
  type Account,
  type AccountClosing,
  AccountClosings,
  AuditLog,
  type ClosingListener,
  type Gone,
  isBeyond,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
  OwnLog,
  sendEntry,
  sendRights,
} from '../accounts/index.js';
import { CampaignStates, Channels } from '../engine/index.js';

interface SentRow {
  id: number;
  request_id: string;
  channel: string;
  broadcast_name: string;
  total_rows: number;
  charged_credits: number;
  retry_of: string | null;
  is_test: number;
  created_by: string | null;
  created_at: Date;
}

/** Lists campaigns in their account's log; the campaign row names its sender, so a send writes no extra log row. */
@Injectable()
export class CampaignLog {
  constructor(@InjectDataSource() dataSource: DataSource, log: OwnLog) {
    const source = {
      kind: 'send',
      table: 'campaigns',
      index: 'ix_campaigns_account',
      entries: async (ids: readonly number[], reader: Parameters<typeof sendEntry>[1]) => {
        const rows = await dataSource.query<SentRow[]>(
          `SELECT id, request_id, channel, broadcast_name, total_rows, charged_credits, retry_of, is_test, created_by, created_at
           FROM campaigns WHERE id IN (?)`,
          [ids],
        );
        return new Map(
          rows.map(({ id, request_id: subject, created_by: createdBy, created_at: createdAt, ...row }) => {
            const { channel, broadcast_name, total_rows, charged_credits: credits, retry_of, is_test } = row;
            const marks = { ...(retry_of !== null && { retry_of }), ...(is_test === 1 && { test: true }) };
            const details = { channel, broadcast_name, total_rows, credits, ...marks };
            const sent = { id: `campaign-${id}`, action: 'campaign.create', subject, details, createdBy, createdAt };
            return [id, sendEntry(sent, reader)];
          }),
        );
      },
    } as const;
    // each has a range of the index
    log.register(
      { ...source, name: 'campaign', column: 'is_test = 0 AND account_id' },
      { ...source, name: 'test_campaign', column: 'is_test = 1 AND account_id' },
    );
  }
}

type Paused = Awaited<ReturnType<CampaignStates['pauseAll']>>;

/** Campaigns paused in one transaction; a larger transaction would hold locks too long. */
const CAMPAIGNS_A_STEP = 500;

/**
 * Pauses the open campaigns of a deactivated account, with audit entries (reference/engine#closed-accounts). The lane worker
 * pauses campaigns accepted at the same moment. Only an explicit resume continues them.
 */
@Injectable()
export class ClosedAccounts implements ClosingListener {
  constructor(
    private readonly states: CampaignStates,
    private readonly audit: AuditLog,
    closings: AccountClosings,
  ) {
    closings.register(this);
  }

  async stopSome(tx: EntityManager, { accountId, actor }: AccountClosing): Promise<boolean> {
    const ids = await this.states.unsentOf(tx, accountId, CAMPAIGNS_A_STEP);
    const paused = await this.states.pauseAll(tx, ids);
    const records = paused.map(({ requestId, channel, state }) => ({
      actor,
      action: 'campaign.pause',
      subject: requestId,
      accountId,
      details: { channel, from: state, to: 'paused', reason: 'account deactivated' },
    }));
    await this.audit.recordAll(tx, records);
    return ids.length === CAMPAIGNS_A_STEP;
  }
}

/**
 * Lists the campaigns of people and keys that are not sent yet, and pauses them with their maker, or those of channels that a
 * lower role does not send over. Only a resume continues them.
 */
@Injectable()
export class MadeCampaigns implements MadeThingListener {
  constructor(
    private readonly states: CampaignStates,
    private readonly channels: Channels,
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.states.unsent(source, await this.unsentOf(source, gone));
    return rows.map(({ id, requestId }) => ({ kind: 'campaign', id, name: requestId, is_active: true }));
  }

  /** In steps, until none is left, as those of a closed account. */
  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    const { account, kind, ids } = gone;
    const channels = this.channels.names.filter((name) =>
      isBeyond(gone, ...sendRights(this.channels.get(name).routes)),
    );
    if (channels.length === 0) return;
    for (const id of ids) {
      const of = { maker: makerPrefix(kind, id), channels };
      let found: readonly number[];
      let paused: Paused;
      do {
        found = await this.states.unsentOf(tx, account.id, CAMPAIGNS_A_STEP, of);
        paused = await this.states.pauseAll(tx, found);
        await this.record(tx, actor, account.id, paused);
      } while (found.length === CAMPAIGNS_A_STEP && paused.length > 0);
    }
  }

  private record(tx: EntityManager, actor: Account, accountId: number, paused: Paused) {
    const records = paused.map(({ requestId, channel, state }) => ({
      actor,
      action: 'campaign.pause',
      subject: requestId,
      accountId,
      details: { channel, from: state, to: 'paused', reason: 'its maker lost the right' },
    }));
    return this.audit.recordAll(tx, records);
  }

  private async unsentOf(source: EntityManager, { account, kind, ids }: Gone): Promise<number[]> {
    const found = await Promise.all(
      ids.map((id) => this.states.unsentOf(source, account.id, CAMPAIGNS_A_STEP, { maker: makerPrefix(kind, id) })),
    );
    return found.flat();
  }
}
