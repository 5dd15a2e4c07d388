import { RecipientStatus } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { RetryStore } from '../../src/modules/engine/state/retries.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { Cancellations } from '../../src/modules/engine/settle/cancellations.js';
import { StatusEvents } from '../../src/modules/engine/settle/status-events.js';
import { CampaignBriefs } from '../../src/modules/engine/state/campaign-briefs.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import type { RunningApi } from './api.js';
import { chatOf } from './chat.js';
import { type Answer, type Member, openApi, type Opening } from './sms.js';
import { claimUpTo } from './lane-worker.js';
import { sqlMessageKey } from '../stage/message-key.mjs';

export type Json = Record<string, unknown>;

export type Campaigns = ReturnType<typeof campaignsOf>;

export const openCampaigns = async (overrides?: Partial<Environment>, opening?: Opening): Promise<Campaigns> =>
  campaignsOf(await openApi(overrides, opening));

/** What tests of the campaigns API need around an API: campaigns whose recipients are moved without a carrier. */
export function campaignsOf(api: RunningApi) {
  const chat = chatOf(api);
  const { dataSource, part, post, request, broadcast } = chat;

  const idOf = async (requestId: string): Promise<number> => {
    const [row] = await dataSource.query<{ id: number }[]>('SELECT id FROM campaigns WHERE request_id = ?', [
      requestId,
    ]);
    if (!row) throw new Error(`no campaign ${requestId}`);
    return row.id;
  };

  /** Moves recipients as a window would: `refund` for what never left. */
  const settle = async (
    requestId: string,
    seqs: readonly number[],
    to: RecipientStatus,
    errorText: string | null = null,
    refund = false,
    routeId?: number,
  ): Promise<void> => {
    const campaignId = await idOf(requestId);
    const settlement = part(Settlement);
    await inTransaction(dataSource, (tx) =>
      settlement.settle(
        tx,
        seqs.map((seq) => ({ campaignId, seq, to, errorCode: null, errorText, refund, attempted: true, routeId })),
      ),
    );
  };

  return {
    ...chat,
    idOf,
    settle,

    get: (path: string, member: Member | null): Promise<Answer> =>
      request(path, { headers: member ? { authorization: `Bearer ${member.token}` } : {} }),

    act: (path: string, member: Member | null, body: unknown = {}): Promise<Answer> => post(path, member, body),

    /** An accepted SMS broadcast; answers its request id. */
    send: async (member: Member, contacts: string[], fields: Json = {}): Promise<string> => {
      const answer = await broadcast(member, {
        broadcast_name: 'Spring',
        brodcast_service: 'main',
        message: 'Hello',
        contacts,
        ...fields,
      });
      if (answer.status !== 200) throw new Error(`broadcast: ${JSON.stringify(answer.body)}`);
      return String(answer.body['request_id']);
    },

    /** Past the first window: from now on it may have failed recipients. */
    begin: async (requestId: string): Promise<void> => {
      await dataSource.query(
        `UPDATE campaigns SET state = 'running', overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE request_id = ?`,
        [requestId],
      );
    },

    /** The carrier took it under this id. */
    submit: async (requestId: string, seq: number, providerMessageId: string): Promise<void> => {
      await dataSource.query(
        `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
         SELECT id, ?, 0, route_id, ?, 1, 1, ${sqlMessageKey('route_id', '?')} FROM campaigns WHERE request_id = ?`,
        [seq, providerMessageId, providerMessageId, requestId],
      );
      await settle(requestId, [seq], RecipientStatus.Submitted);
    },

    /** What the worker does with lane 0 of a cancelled or rejected campaign, step by step; answers the number of steps. */
    cancelUnsent: async (requestId: string, step: number): Promise<number> => {
      const campaignId = await idOf(requestId);
      const lanes = new LaneStore(dataSource);
      const parts = [part(Settlement), lanes, part(RetryStore), part(CampaignBriefs), part(StatusEvents)] as const;
      const cancellations = new Cancellations(dataSource, ...parts);
      for (let steps = 0; ; steps++) {
        const [lane] = await lanes.snapshots([{ campaignId, lane: 0 }]);
        if (!lane) return steps;
        await claimUpTo(lanes, lane, lane.intentSeq);
        await cancellations.step(lane, step);
      }
    },

    /** A receipt, as it comes from the carrier. */
    receipt: async (requestId: string, providerMessageId: string, status: Receipt['status']): Promise<void> => {
      const [row] = await dataSource.query<{ route_id: number }[]>(
        'SELECT route_id FROM campaigns WHERE request_id = ?',
        [requestId],
      );
      await part(ReceiptSink).accept(Number(row?.route_id), [
        { providerMessageId, status, errorCode: null, errorText: null, receiver: null },
      ]);
    },

    /** The audit log, oldest first. */
    audit: (subject: string): Promise<{ actor: string; action: string; details: string }[]> =>
      dataSource.query('SELECT actor, action, details FROM audit_log WHERE subject = ? ORDER BY id', [subject]),
  };
}

export const dataOf = (answer: Answer): Json => answer.body['data'] as Json;
export const listOf = (answer: Answer): Json[] => answer.body['data'] as Json[];
