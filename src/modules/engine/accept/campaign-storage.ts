import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import {
  execute,
  inPacket,
  inTransaction,
  Packets,
  PacketTooLong,
  type WrittenRow,
} from '../../../platform/database/index.js';
import { CreditBook, isLow, type Movement } from '../../credits/index.js';
import { type Alongside, IdempotencyKeys, type KeptOutcome } from '../../idempotency/index.js';
import { CampaignWriter, type NumberedHead } from './campaign-writer.js';
import type { AcceptedCampaign, DraftHead, DraftSum, RecipientPage } from './draft.js';
import { LargeDraftRecipients } from './large-drafts.js';

/** A priced send that waits for its group. */
export interface WaitingDraft {
  draft: DraftHead;
  total: number;
  sum: DraftSum;
  page: RecipientPage | null;
  alongside?: Alongside<AcceptedCampaign> | undefined;
  outcome?: KeptOutcome<AcceptedCampaign> | undefined;
  writtenId?: number;
  /** null = no trace is recorded */
  traceParent: string | null;
}

type Numbered = NumberedHead & WaitingDraft;

/** Stores a group of accepted campaigns, all or none. */
@Injectable()
export class CampaignStorage {
  constructor(
    private readonly packets: Packets,
    private readonly credits: CreditBook,
    private readonly keys: IdempotencyKeys,
    private readonly writer: CampaignWriter,
    private readonly largeDrafts: LargeDraftRecipients,
  ) {}

  /**
   * Stores campaigns with their recipients and movements of credits.
   * @throws Error overdrawn (`isOverdrawn`), duplicate key, and what `alongside` throws
   */
  async store(payable: readonly WaitingDraft[]): Promise<AcceptedCampaign[]> {
    const accepted = await this.write(payable);
    for (const { outcome } of payable) outcome?.stored();
    return accepted;
  }

  /** In one packet, unless a write needs an answer. */
  private async write(payable: readonly WaitingDraft[]): Promise<AcceptedCampaign[]> {
    if (payable.some(({ alongside, writtenId }) => alongside ?? writtenId)) return this.storeByTransaction(payable);
    try {
      return await this.storeByPacket(payable);
    } catch (error) {
      if (isLow(error) || error instanceof PacketTooLong) return this.storeByTransaction(payable);
      throw error;
    }
  }

  private async storeByPacket(payable: readonly WaitingDraft[]): Promise<AcceptedCampaign[]> {
    const build = () => {
      const { campaigns, keys, movements, accepted } = this.writesOf(payable);
      const statements = [...campaigns, ...keys, ...this.credits.packet(movements)];
      return { statements, result: { accepted, movements } };
    };
    const { accepted, movements } = await inPacket(this.packets, build, (made) => rowOf(made.accepted));
    this.credits.count(movements);
    return accepted;
  }

  private storeByTransaction(payable: readonly WaitingDraft[]): Promise<AcceptedCampaign[]> {
    const write = async (tx: EntityManager): Promise<AcceptedCampaign[]> => {
      const { numbered, campaigns, keys, movements, accepted } = this.writesOf(payable);
      await execute(tx, campaigns);
      for (const { writtenId } of numbered) if (writtenId !== undefined) await this.largeDrafts.end(tx, writtenId);
      for (const entry of numbered) await entry.alongside?.(tx, acceptedOf(entry));
      await execute(tx, keys);
      await this.credits.move(tx, movements);
      return accepted;
    };
    return inTransaction(this.packets.dataSource, write, { committed: rowOf });
  }

  /** All writes of these drafts, under new ids: another process may have taken one. Movements last: they lock balances. */
  private writesOf(payable: readonly WaitingDraft[]) {
    const numbered = payable.map((entry): Numbered => {
      const { requestId: own } = entry.draft;
      const requestId = 'given' in own ? own.given : own.make();
      return { ...entry, id: entry.writtenId ?? newId(), requestId };
    });
    const drafts = numbered.flatMap(({ page, ...entry }) => (page ? [{ ...entry, page }] : []));
    const outcomes = numbered.flatMap((entry) => {
      const { outcome } = entry;
      return outcome ? [{ key: outcome.key, outcome: outcome.outcomeOf(acceptedOf(entry)) }] : [];
    });
    return {
      numbered,
      accepted: numbered.map(acceptedOf),
      campaigns: [...this.writer.heads(numbered), ...this.writer.recipients(drafts)],
      keys: this.keys.statements(outcomes),
      movements: numbered.filter(({ draft }) => !draft.isTest).map(debitOf),
    };
  }
}

/** One campaign suffices to look a lost COMMIT up: all or none are stored. */
const rowOf = ([first]: readonly AcceptedCampaign[]): WrittenRow => {
  if (!first) throw new Error('a group has drafts');
  return { table: 'campaigns', where: { id: first.id, request_id: first.requestId } };
};

function debitOf({ requestId, draft, sum: { charged: amount, usage: shares } }: Numbered): Movement {
  const { accountId, balance, channel, createdBy = null } = draft;
  return { kind: 'debit', accountId, balance, requestId, amount, usage: { channel, shares }, createdBy };
}

const acceptedOf = ({ id, requestId, draft, total, sum }: Numbered): AcceptedCampaign => ({
  id,
  requestId,
  totalRows: total,
  unitCredits: draft.unitCredits,
  chargedCredits: sum.charged,
  routeId: draft.routeId,
  repeated: false,
});
