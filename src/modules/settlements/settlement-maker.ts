import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { LeaderGate, SharedTask } from '../../platform/periodic/index.js';
import { saltsOf } from './encoding.js';
import { HouseDays } from './house-days.store.js';
import { LEAVES_A_PAGE } from './merkle.js';
import { type DueCampaign, dueCampaigns, SettledRows, type SettledCampaign } from './settled-rows.js';
import { SettlementKey, type SigningKey } from './settlement-key.js';
import { SettledElsewhere, type SettledPage, SettlementStore, type ToSettle } from './settlements.store.js';
import { SettlementSums } from './statement.js';

const EVERY_MS = 2_000;
const DAYS_EVERY_MS = 60_000;
const CAMPAIGNS_A_READ = 200;
/** Small campaigns of a transaction have so many recipients at most. */
const RECIPIENTS_A_BATCH = 4_096;
const PAGES_A_STEP = 8;
/** After a step it waits as long as the step took, so that sending has the greater share. */
const LONGEST_PAUSE_MS = 500;
/** Another process leaves a large campaign alone for so long. */
const LARGE_HELD_MS = 600_000;

/** Leader task: signs the settlements of complete campaigns, in bounded steps and constant memory (docs/decisions/0072). */
@Injectable()
export class SettlementMaker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SettlementMaker.name);
  private readonly task: SharedTask;
  private isKeyKnown = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly gate: LeaderGate,
    private readonly rows: SettledRows,
    private readonly store: SettlementStore,
    private readonly own: SettlementKey,
    private readonly days: HouseDays,
  ) {
    this.task = new SharedTask(gate, {
      name: 'settlements',
      everyMs: EVERY_MS,
      work: () => this.work(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'settlements could not be made, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    if (this.own.key) this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async work(): Promise<void> {
    const isStopped = (): boolean => this.task.isStopped;
    await this.settleDue(isStopped);
    if (this.own.key && (await this.gate.isMine('settlement-days', DAYS_EVERY_MS)))
      await this.days.sealDue(this.own.key, isStopped);
  }

  /** Settles all that is due. Two processes may do so at once: the database lets one of them win. */
  async settleDue(isStopped: () => boolean = () => false): Promise<void> {
    const { key } = this.own;
    if (!key) return;
    if (!this.isKeyKnown) await this.store.rememberKey(this.dataSource, key);
    this.isKeyKnown = true;
    let after: DueCampaign | null = null;
    while (!isStopped()) {
      const due: DueCampaign[] = await dueCampaigns(this.dataSource, after, CAMPAIGNS_A_READ);
      await this.store.refuse(
        this.dataSource,
        due.filter(({ isTest }) => isTest === 1).map(({ id }) => id),
        0,
      );
      const live = due.filter(({ isTest }) => isTest === 0);
      for (const batch of batches(live)) {
        if (isStopped()) return;
        await this.attempt(batch, (ids) => this.paced(() => this.settleSmall(ids, key)));
      }
      for (const { id } of live.filter(isLarge)) await this.attempt([id], () => this.settleLarge(id, key, isStopped));
      after = due.at(-1) ?? null;
      if (due.length < CAMPAIGNS_A_READ) return;
    }
  }

  /** A campaign that cannot be settled does not keep the others from it. */
  private async attempt(ids: readonly number[], work: (ids: readonly number[]) => Promise<void>): Promise<void> {
    try {
      await work(ids);
    } catch (error) {
      if (ids.length > 1) for (const id of ids) await this.attempt([id], work);
      else this.logger.warn({ err: safeError(error), campaignId: ids[0] }, 'no settlement could be made, trying again');
    }
  }

  private async settleSmall(ids: readonly number[], key: SigningKey): Promise<void> {
    const campaigns = await this.rows.campaigns(this.dataSource, ids);
    if (campaigns.length === 0) return;
    const recipients = await this.rows.recipients(this.dataSource, campaigns);
    const { byCampaign: entries } = await this.rows.entries(this.dataSource, campaigns);
    const settled = campaigns.flatMap((campaign): ToSettle[] => {
      const own = recipients.get(campaign.id);
      const sums = new SettlementSums();
      const salts = SettlementStore.newSalts();
      const root = sums.addPage(own ?? [], saltsOf(salts));
      sums.addEntries(entries.get(campaign.id) ?? []);
      return [{ campaign, sums, pages: [{ page: 0, root, salts }] }];
    });
    await this.issue(settled, key);
  }

  private async settleLarge(id: number, key: SigningKey, isStopped: () => boolean): Promise<void> {
    if (!(await this.gate.isMine(`settlement-${id}`, LARGE_HELD_MS))) return;
    const [campaign] = await this.rows.campaigns(this.dataSource, [id]);
    if (!campaign) return;
    const sums = new SettlementSums();
    const pages = Math.ceil(campaign.totalRows / LEAVES_A_PAGE);
    for (let from = 0; from < pages; from += PAGES_A_STEP) {
      if (isStopped()) return;
      await this.paced(() => this.addPages(campaign, sums, from, Math.min(PAGES_A_STEP, pages - from)));
    }
    for await (const entries of this.rows.entryPages(this.dataSource, campaign)) sums.addEntries(entries);
    await this.issue([{ campaign, sums, pages: [] }], key);
  }

  private async addPages(campaign: SettledCampaign, sums: SettlementSums, from: number, count: number): Promise<void> {
    const range = { from: from * LEAVES_A_PAGE + 1, to: (from + count) * LEAVES_A_PAGE };
    const recipients = (await this.rows.recipients(this.dataSource, [campaign], range)).get(campaign.id) ?? [];
    const kept = await this.store.pageSalts(this.dataSource, campaign.id, from, count);
    const pages = kept.map(({ page, salts }): SettledPage => {
      const first = (page - from) * LEAVES_A_PAGE;
      return { page, salts, root: sums.addPage(recipients.slice(first, first + LEAVES_A_PAGE), saltsOf(salts)) };
    });
    await this.store.saveRoots(this.dataSource, campaign.id, pages);
  }

  /** What does not add up is not signed. */
  private async issue(settled: readonly ToSettle[], key: SigningKey): Promise<void> {
    const [sound, unsound]: [ToSettle[], number[]] = [[], []];
    for (const of of settled) {
      const fault = of.sums.faultOf(of.campaign);
      if (fault === null) sound.push(of);
      else {
        unsound.push(of.campaign.id);
        this.logger.error({ requestId: of.campaign.requestId, fault }, 'a campaign does not add up: no settlement');
      }
    }
    await this.store.refuse(this.dataSource, unsound, 2);
    if (sound.length === 0) return;
    try {
      await inTransaction(this.dataSource, (tx) => this.store.issue(tx, sound, key));
    } catch (error) {
      if (!(error instanceof SettledElsewhere)) throw error;
    }
  }

  private async paced(step: () => Promise<void>): Promise<void> {
    const begun = performance.now();
    await step();
    await sleep(Math.min(LONGEST_PAUSE_MS, performance.now() - begun));
  }
}

const isLarge = ({ totalRows }: DueCampaign): boolean => totalRows > LEAVES_A_PAGE;

/** Small campaigns, together at most `RECIPIENTS_A_BATCH` recipients. */
function* batches(due: readonly DueCampaign[]): Generator<number[], void, undefined> {
  let [batch, recipients]: [number[], number] = [[], 0];
  for (const { id, totalRows } of due.filter((one) => !isLarge(one))) {
    if (recipients + totalRows > RECIPIENTS_A_BATCH) {
      yield batch;
      [batch, recipients] = [[], 0];
    }
    batch.push(id);
    recipients += totalRows;
  }
  if (batch.length > 0) yield batch;
}
