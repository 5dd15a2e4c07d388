import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Drain, safeError } from '../../../platform/observability/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { CampaignList } from '../persistence/campaign-list.js';
import type { CampaignView } from '../queries/campaign.view.js';
import { hasEnded } from '../queries/campaign.view.js';
import { CampaignViews } from '../queries/campaign-views.js';

/** Who follows a campaign, and what he is told. */
export interface ProgressListener {
  /** the viewer: his stream ends with his account */
  accountId: number;
  /** the campaign as it stands: at once, and after every change */
  changed(view: CampaignView): void;
  /** nothing has changed for a while */
  quiet(): void;
  /** the last call: the campaign is at its end, or this process or the viewer's account is */
  ended(): void;
}

interface Topic {
  listeners: Set<ProgressListener>;
  /** the last view as it was told, and its text for comparing */
  last: { view: CampaignView; text: string } | null;
  quietRounds: number;
}

const ROUND_MS = 1_000;
const QUIET_ROUNDS = 15;
const ACCOUNT_CHECK_ROUNDS = 10;
export const MOST_OF_ONE_ACCOUNT = 10;
export const MOST_OF_ALL = 1_000;
const RETRY_SECONDS = 30;

/**
 * Follows campaigns for whoever listens in this process: all of them are read once a second in one go, whatever the
 * number of listeners, so any instance can serve any campaign. Nothing is read while nobody listens.
 */
@Injectable()
export class ProgressFeed implements OnApplicationShutdown {
  private readonly logger = new Logger(ProgressFeed.name);
  private readonly topics = new Map<number, Topic>();
  private readonly perAccount = new Map<number, number>();
  private timer: NodeJS.Timeout | null = null;
  private looking = false;
  private rounds = 0;
  private count = 0;

  constructor(
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
    private readonly accounts: AccountDirectory,
    private readonly drain: Drain,
  ) {}

  /**
   * Listens from now on; the first `changed` comes with the next look, a moment later.
   * @returns stops listening
   * @throws AppError too_many: 10 streams an account and 1,000 a process
   */
  follow(campaignId: number, listener: ProgressListener): () => void {
    const mine = this.perAccount.get(listener.accountId) ?? 0;
    if (mine >= MOST_OF_ONE_ACCOUNT || this.count >= MOST_OF_ALL) throw tooMany(RETRY_SECONDS);
    this.perAccount.set(listener.accountId, mine + 1);
    this.count += 1;
    const topic = this.topics.get(campaignId) ?? { listeners: new Set(), last: null, quietRounds: 0 };
    this.topics.set(campaignId, topic);
    topic.listeners.add(listener);
    this.timer ??= setInterval(() => void this.look(), ROUND_MS);
    if (topic.last) listener.changed(topic.last.view);
    else void this.look();
    return () => this.leave(campaignId, listener);
  }

  onApplicationShutdown(): void {
    this.endAll();
  }

  private leave(campaignId: number, listener: ProgressListener): void {
    const topic = this.topics.get(campaignId);
    if (!topic?.listeners.delete(listener)) return;
    if (topic.listeners.size === 0) this.topics.delete(campaignId);
    const left = (this.perAccount.get(listener.accountId) ?? 1) - 1;
    if (left > 0) this.perAccount.set(listener.accountId, left);
    else this.perAccount.delete(listener.accountId);
    this.count -= 1;
    if (this.count === 0 && this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  private end(campaignId: number, listener: ProgressListener): void {
    this.leave(campaignId, listener);
    listener.ended();
  }

  private endAll(): void {
    for (const [campaignId, topic] of this.topics)
      for (const listener of topic.listeners) this.end(campaignId, listener);
  }

  private async look(): Promise<void> {
    if (this.drain.begun) this.endAll();
    if (this.looking) return;
    this.looking = true;
    try {
      await this.round();
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'campaigns could not be followed, trying again');
    } finally {
      this.looking = false;
    }
  }

  private async round(): Promise<void> {
    const asked = [...this.topics.keys()];
    const rows = await this.list.byIds(asked);
    for (const counted of rows) {
      const view = await this.views.ofOwner(counted);
      const id = counted.campaign.id;
      const topic = this.topics.get(id);
      if (!topic) continue;
      this.tell(topic, view);
      if (hasEnded(counted)) for (const listener of topic.listeners) this.end(id, listener);
    }
    if (++this.rounds % ACCOUNT_CHECK_ROUNDS === 0) await this.checkAccounts();
    // Somebody who came during this look is not kept waiting for a second.
    if ([...this.topics].some(([, topic]) => topic.last === null)) setImmediate(() => void this.look());
  }

  private tell(topic: Topic, view: CampaignView): void {
    const text = JSON.stringify(view);
    const isNew = topic.last?.text !== text;
    if (isNew) topic.last = { view, text };
    topic.quietRounds = isNew ? 0 : topic.quietRounds + 1;
    const isQuiet = topic.quietRounds > 0 && topic.quietRounds % QUIET_ROUNDS === 0;
    for (const listener of topic.listeners) {
      if (isNew) listener.changed(view);
      else if (isQuiet) listener.quiet();
    }
  }

  /** A stream outlives the token that opened it, but not the account. */
  private async checkAccounts(): Promise<void> {
    for (const [campaignId, topic] of this.topics) {
      for (const listener of topic.listeners) {
        const account = await this.accounts.byId(listener.accountId);
        if (!account || !this.accounts.usable(account)) this.end(campaignId, listener);
      }
    }
  }
}
