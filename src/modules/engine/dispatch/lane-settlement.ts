import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Semaphore, type SingleRun } from '../../../platform/concurrency/index.js';
import { DueWatch } from '../../../platform/periodic/index.js';
import { isFree } from '../../../platform/database/index.js';
import { Cancellations } from '../settle/cancellations.js';
import { sqlStates } from '../state/campaign-states.js';
import { statesThat } from '../campaign.js';
import { roundRobin } from './due-lanes.js';
import { CANCEL_STEP, LaneRunner } from './lane-runner.js';
import { LaneStore } from '../state/lane-store.js';
import type { LaneKey } from '../lanes.js';

const MOST_READ = 1_000;
const MOST_LANES = 500;
const MOST_RECIPIENTS = 4 * CANCEL_STEP;
const CUTS_AT_ONCE = 4;

interface SettledLane extends LaneKey {
  accountId: number;
  intentSeq: number;
  endSeq: number;
  isFree: boolean;
}

const LANES = 'campaign_lanes l FORCE INDEX (ix_campaign_lanes_settle)';
const IS_DUE = 'l.settle_at <= UTC_TIMESTAMP(3)';
/** Lanes held by a worker may be cut short if their campaign was stopped. */
const IS_SETTLED = `(${isFree('l')} OR l.intent_seq < l.end_seq AND c.state IN (${sqlStates(statesThat('refund'))}))`;

/** Settles stopped and expired lanes without route, permit or Redis: refunds come within two seconds (docs/decisions/0002). */
@Injectable()
export class LaneSettlement implements BeforeApplicationShutdown {
  private readonly runs: SingleRun;
  private served = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lanes: LaneStore,
    private readonly runner: LaneRunner,
    private readonly cancellations: Cancellations,
    watch: DueWatch,
  ) {
    const logger = new Logger(LaneSettlement.name);
    this.runs = watch.register({
      name: 'lane-settlement',
      isDue: `EXISTS (SELECT 1 FROM ${LANES} WHERE ${IS_DUE})`,
      work: () => this.work(),
      onFault: (error) => logger.warn({ err: error }, 'lanes could not be settled, trying again'),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runs.stop();
  }

  private async work(): Promise<void> {
    while (!this.runs.isStopped && (await this.round()));
  }

  private async round(): Promise<boolean> {
    const lanes = this.share(await this.due());
    const [end, ...cut] = await Promise.all([
      this.lanes.snapshots(lanes.filter((lane) => lane.isFree)).then((snapshots) => this.runner.settle(snapshots)),
      ...this.cut(lanes.filter((lane) => !lane.isFree)),
    ]);
    return end.more || end.done.length > 0 || cut.includes(true);
  }

  private cut(held: readonly SettledLane[]): Promise<boolean>[] {
    const permits = new Semaphore(CUTS_AT_ONCE);
    return held.map(async (lane) => {
      await permits.acquire(Infinity);
      try {
        return await this.cancellations.cut(lane, CANCEL_STEP);
      } finally {
        permits.release();
      }
    });
  }

  /** The longest due lanes; if these fill a query, also lanes of other accounts. */
  private async due(): Promise<SettledLane[]> {
    const first = await this.longestDue();
    if (first.length < MOST_READ) return first;
    return [...first, ...(await this.longestDue([...new Set(first.map(({ accountId }) => accountId))]))];
  }

  private async longestDue(butOf: readonly number[] = []): Promise<SettledLane[]> {
    const ofOthers = butOf.length > 0 ? 'AND l.account_id NOT IN (?)' : '';
    const rows = await this.dataSource.query<(Omit<SettledLane, 'isFree'> & { free: number })[]>(
      `SELECT STRAIGHT_JOIN l.campaign_id AS campaignId, l.lane, l.account_id AS accountId, l.intent_seq AS intentSeq,
         l.end_seq AS endSeq, ${isFree('l')} AS free
       FROM ${LANES} JOIN campaigns c ON c.id = l.campaign_id
       WHERE ${IS_DUE} AND ${IS_SETTLED} ${ofOthers} ORDER BY l.settle_at LIMIT ${MOST_READ}`,
      butOf.length > 0 ? [butOf] : [],
    );
    return rows.map(({ free, ...lane }) => ({ ...lane, isFree: Number(free) === 1 }));
  }

  /** The next lanes, in rotation over accounts. */
  private share(due: readonly SettledLane[]): SettledLane[] {
    const lanes: SettledLane[] = [];
    let recipients = 0;
    for (const lane of roundRobin(due, this.served)) {
      if (lanes.length === MOST_LANES || recipients >= MOST_RECIPIENTS) break;
      recipients += Math.min(CANCEL_STEP, Math.max(1, lane.endSeq - lane.intentSeq));
      lanes.push(lane);
      this.served = lane.accountId;
    }
    return lanes;
  }
}
