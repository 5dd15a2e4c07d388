import { DataSource } from 'typeorm';
import { AttemptLogs, RecipientDetails, RecipientStatus } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/dispatch/lane-store.js';
import { RetryStore } from '../../src/modules/engine/settle/retry-store.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { WindowResults } from '../../src/modules/engine/settle/window-results.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { ChatDesk } from './chat-desk.js';
import type { TestDatabase } from './database.js';
import type { Answer, Member } from './sms-desk.js';

export type Json = Record<string, unknown>;

/** The desk with what tests of the campaigns API need: campaigns whose recipients are moved without a carrier. */
export class CampaignDesk extends ChatDesk {
  /** For a second instance of the same installation: `startApi(desk.environment, desk.database)`. */
  get database(): TestDatabase {
    return this.api.database;
  }

  get(path: string, member: Member | null): Promise<Answer> {
    return this.request(path, { headers: member ? { authorization: `Bearer ${member.token}` } : {} });
  }

  act(path: string, member: Member | null, body: unknown = {}): Promise<Answer> {
    return this.post(path, member, body);
  }

  /** An accepted SMS broadcast; answers its request id. */
  async send(member: Member, contacts: string[], fields: Json = {}): Promise<string> {
    const answer = await this.broadcast(member, {
      broadcast_name: 'Spring',
      brodcast_service: 'main',
      message: 'Hello',
      contacts,
      ...fields,
    });
    if (answer.status !== 200) throw new Error(`broadcast: ${JSON.stringify(answer.body)}`);
    return String(answer.body['request_id']);
  }

  async idOf(requestId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ id: number }[]>('SELECT id FROM campaigns WHERE request_id = ?', [
      requestId,
    ]);
    if (!row) throw new Error(`no campaign ${requestId}`);
    return row.id;
  }

  /** Past the first window: from now on it may have failed recipients. */
  async begin(requestId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE campaigns SET state = 'running', overdue_check_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE request_id = ?`,
      [requestId],
    );
  }

  /** Moves recipients as a window would: `refund` for what never left. */
  async settle(
    requestId: string,
    seqs: readonly number[],
    to: RecipientStatus,
    errorText: string | null = null,
    refund = false,
  ): Promise<void> {
    const campaignId = await this.idOf(requestId);
    const settlement = this.api.app.get(Settlement, { strict: false });
    await inTransaction(this.api.app.get(DataSource, { strict: false }), (tx) =>
      settlement.settle(
        tx,
        seqs.map((seq) => ({ campaignId, seq, to, errorCode: null, errorText, refund, attempted: true })),
      ),
    );
  }

  /** The carrier took it under this id. */
  async submit(requestId: string, seq: number, providerMessageId: string): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status)
       SELECT id, ?, 0, route_id, ?, 1, 1 FROM campaigns WHERE request_id = ?`,
      [seq, providerMessageId, requestId],
    );
    await this.settle(requestId, [seq], RecipientStatus.Submitted);
  }

  /** What the worker does with lane 0 of a cancelled or rejected campaign, step by step; answers the number of steps. */
  async cancelUnsent(requestId: string, step: number): Promise<number> {
    const campaignId = await this.idOf(requestId);
    const lanes = new LaneStore(this.dataSource);
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      this.api.app.get<T>(type, { strict: false });
    const results = new WindowResults(this.dataSource, get(Settlement), lanes, get(RetryStore), get(AttemptLogs));
    for (let steps = 0; ; steps++) {
      const [row] = await this.dataSource.query<{ fence: number }[]>(
        'SELECT fence FROM campaign_lanes WHERE campaign_id = ? AND lane = 0 AND next_seq < end_seq',
        [campaignId],
      );
      const turn = row && (await lanes.turn({ campaignId, lane: 0, fence: row.fence }));
      if (!turn) return steps;
      await lanes.claim(turn, turn.intentSeq, 5_000);
      await results.cancelStep(turn, step, turn.fence + 1);
    }
  }

  /** A receipt, as it comes from the carrier. */
  async receipt(requestId: string, providerMessageId: string, status: Receipt['status']): Promise<void> {
    const [row] = await this.dataSource.query<{ route_id: number }[]>(
      'SELECT route_id FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    await this.api.app
      .get(ReceiptSink, { strict: false })
      .accept(Number(row?.route_id), [{ providerMessageId, status, errorCode: null, errorText: null, receiver: null }]);
  }

  /** Where other modules tell more of recipients. */
  get details(): RecipientDetails {
    return this.api.app.get(RecipientDetails, { strict: false });
  }

  /** The audit log, oldest first. */
  audit(subject: string): Promise<{ actor: string; action: string; details: string }[]> {
    return this.dataSource.query('SELECT actor, action, details FROM audit_log WHERE subject = ? ORDER BY id', [
      subject,
    ]);
  }
}

export const dataOf = (answer: Answer): Json => answer.body['data'] as Json;
export const listOf = (answer: Answer): Json[] => answer.body['data'] as Json[];
