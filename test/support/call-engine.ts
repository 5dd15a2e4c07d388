import { DataSource } from 'typeorm';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import type { LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { OverdueReceipts } from '../../src/modules/engine/receipts/overdue-receipts.js';
import { UnmatchedReceipts } from '../../src/modules/engine/receipts/unmatched-receipts.js';
import {
  type OutboundMessage,
  type Receipt,
  ReceiptSink,
  type SendOutcome,
} from '../../src/modules/providers/index.js';
import { VoiceCalls } from '../../src/modules/channels/voice/index.js';
import { numbers } from './client.js';
import { type Engine, startEngine } from './engine.js';
import { type LaneWorker, laneWorker, snapshotOf } from './lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const ROUTE_ID = 1;

/** A voice campaign of a test. */
export interface CallCampaign {
  id: number;
  requestId: string;
  accountId: number;
}

/** A receipt of the telephone network. */
export const callReceipt = (callId: string, status: Receipt['status'], fields: Partial<Receipt> = {}): Receipt => ({
  providerMessageId: callId,
  status,
  errorCode: null,
  errorText: null,
  receiver: null,
  durationSeconds: 0,
  ...fields,
});

/** The engine with the voice channel and one worker, whose turns and whose telephone network belong to the test. */
export class CallEngine {
  /** what became of each call that the worker made */
  network: (message: OutboundMessage) => Promise<SendOutcome> = () => Promise.resolve(this.accepted());
  made: OutboundMessage[] = [];
  routeIsThere = true;
  readonly dataSource: DataSource;
  readonly lanes: LaneStore;
  readonly results: BatchResults;
  readonly states: CampaignStates;
  readonly reader: CampaignReader;
  readonly overdue: OverdueReceipts;
  readonly calls: VoiceCalls;
  private readonly unmatched: UnmatchedReceipts;
  private readonly sink: ReceiptSink;
  private readonly worker: LaneWorker;
  private serial = 0;

  private constructor(readonly engine: Engine) {
    this.dataSource = this.get(DataSource);
    this.lanes = this.engine.part(LaneStore);
    this.results = this.engine.part(BatchResults);
    this.states = this.get(CampaignStates);
    this.reader = this.get(CampaignReader);
    this.overdue = this.engine.part(OverdueReceipts);
    this.calls = new VoiceCalls(this.dataSource);
    this.sink = this.get(ReceiptSink);
    this.unmatched = this.engine.part(UnmatchedReceipts);
    this.worker = this.newWorker();
  }

  static async start(): Promise<CallEngine> {
    return new CallEngine(await startEngine());
  }

  get<T>(type: abstract new (...parameters: never[]) => T): T {
    return this.engine.module.get<T>(type, { strict: false });
  }

  reset(): void {
    this.made = [];
    this.routeIsThere = true;
    this.network = () => Promise.resolve(this.accepted());
  }

  accepted(): SendOutcome {
    return { kind: 'accepted', providerMessageIds: [`call-${++this.serial}`] };
  }

  /** A campaign to `total` numbers; `seconds` between two calls. */
  async accept(
    username: string,
    total: number,
    retries: number,
    seconds = 60,
    terms?: CampaignDraft['terms'],
  ): Promise<CallCampaign> {
    const accountId = await this.engine.account(username, total);
    const content = { audio_url: '/audio/a.wav', caller_id: '', menu: null, retries, retry_interval: seconds };
    const draft = this.engine.draft(accountId, numbers(total), { channel: 'voice', content, ...(terms && { terms }) });
    const accepted = await this.get(CampaignAcceptance).accept(draft);
    return { id: accepted.id, requestId: accepted.requestId, accountId };
  }

  /** The worker's turns until the lane wants no more now. */
  async drive({ id }: CallCampaign, lane = 0): Promise<void> {
    for (;;) {
      if (!(await this.worker.run({ campaignId: id, lane }))) return;
    }
  }

  /** The waits are over: the next calls are made. */
  async redial(campaign: CallCampaign): Promise<void> {
    await this.due(campaign);
    await this.drive(campaign);
  }

  due({ id }: CallCampaign): Promise<unknown> {
    return this.dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
  }

  async lane({ id }: CallCampaign): Promise<LaneSnapshot> {
    return snapshotOf(this.lanes, id);
  }

  leaseEnds({ id }: CallCampaign): Promise<unknown> {
    return this.dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [
      id,
    ]);
  }

  /** Who waits for his next call, and how many seconds yet: to the next ten, as a busy machine asks late. */
  async waits({ id }: CallCampaign): Promise<[seq: number, seconds: number][]> {
    const rows = await this.dataSource.query<{ seq: number; wait: string }[]>(
      `SELECT seq, CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), due_at) / 10000000) * 10 AS wait FROM recipient_retries
       WHERE campaign_id = ? ORDER BY seq`,
      [id],
    );
    return rows.map(({ seq, wait }) => [seq, Number(wait)]);
  }

  /** Seconds until the lane wants a job, to the next ten; null = it sleeps. */
  async wakesIn({ id }: CallCampaign): Promise<number | null> {
    const [row] = await this.dataSource.query<{ wait: string | null }[]>(
      `SELECT CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), wake_at) / 10000000) * 10 AS wait FROM campaign_lanes
       WHERE campaign_id = ?`,
      [id],
    );
    const wait = row?.wait ?? null;
    return wait === null ? null : Number(wait);
  }

  /** The network's id of the latest call to a recipient. */
  async callTo({ id }: CallCampaign, seq: number): Promise<string> {
    return (await this.calls.of(id, [seq])).at(-1)?.callId ?? 'none';
  }

  tell(...receipts: Receipt[]): Promise<void> {
    return this.sink.accept(ROUTE_ID, receipts);
  }

  /** As `tell`, over another route than that of most campaigns. */
  tellOver(routeId: number, ...receipts: Receipt[]): Promise<void> {
    return this.sink.accept(routeId, receipts);
  }

  /** The outcome of the latest call to a recipient. */
  async report(
    campaign: CallCampaign,
    seq: number,
    status: Receipt['status'],
    fields: Partial<Receipt> = {},
  ): Promise<void> {
    await this.tell(callReceipt(await this.callTo(campaign, seq), status, fields));
  }

  /** Receipts that nobody knew have waited long enough to belong to an unknown outcome. */
  async adoptOrphans(): Promise<void> {
    await this.dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 10 SECOND');
    await this.unmatched.sweep();
  }

  counts({ requestId }: CallCampaign): Promise<Record<string, number>> {
    return this.engine.counts(requestId);
  }

  async recipient({ id }: CallCampaign, seq: number): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.reader.recipients(id, { afterSeq: seq - 1, limit: 1 });
    return row && { status: RecipientStatus[row.status], attempts: row.attempts, duration: row.duration };
  }

  private newWorker(): LaneWorker {
    return laneWorker(this.engine, {
      environment: { LANE_LEASE: 5_000 },
      route: { channel: 'voice' },
      routeIsThere: () => this.routeIsThere,
      channels: 'real',
      send: (message) => {
        this.made.push(message);
        return this.network(message);
      },
    });
  }
}
