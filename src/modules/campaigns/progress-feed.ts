import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import { Drain, safeError } from '../../platform/observability/index.js';
import { tooMany } from '../../platform/security/index.js';
import { isEndState, RecipientStatus } from '../engine/index.js';
import { CampaignViews } from './campaign-views.js';
import type { CampaignData } from './campaigns.dto.js';
import { CampaignList, type CountedCampaign } from './campaigns.store.js';

export interface ProgressListener {
  accountId: number;
  /** checks the token or API key, the account and the access to the campaign again */
  mayRead(): Promise<boolean>;
  /** the current view: at once, and after every change */
  changed(view: CampaignData): void;
  quiet(): void;
  /** the last call; over = the campaign ended, else only this stream ended and the client may reopen it */
  ended(over: boolean): void;
}

interface Topic {
  listeners: Set<ProgressListener>;
  last: { view: CampaignData; text: string } | null;
  quietRounds: number;
}

const ROUND_MS = 1_000;
const QUIET_ROUNDS = 15;
const VIEWER_CHECK_ROUNDS = 5;
const MOST_OF_ONE_ACCOUNT = 10;
const MOST_OF_ALL = 1_000;
const RETRY_SECONDS = 30;

/** Follows campaigns with one read per second for all listeners of this process; any instance can serve any campaign. */
@Injectable()
export class ProgressFeed implements OnApplicationShutdown {
  private readonly logger = new Logger(ProgressFeed.name);
  private readonly topics = new Map<number, Topic>();
  private readonly perAccount = new Map<number, number>();
  private timer: NodeJS.Timeout | null = null;
  private polling = false;
  private rounds = 0;
  private count = 0;

  constructor(
    private readonly list: CampaignList,
    private readonly views: CampaignViews,
    private readonly drain: Drain,
  ) {}

  /** Starts following; returns the function that stops it. @throws AppError too_many: 10 streams per account, 1,000 here */
  follow(campaignId: number, listener: ProgressListener): () => void {
    const mine = this.perAccount.get(listener.accountId) ?? 0;
    if (mine >= MOST_OF_ONE_ACCOUNT || this.count >= MOST_OF_ALL) throw tooMany(RETRY_SECONDS);
    this.perAccount.set(listener.accountId, mine + 1);
    this.count += 1;
    const topic = this.topics.get(campaignId) ?? { listeners: new Set(), last: null, quietRounds: 0 };
    this.topics.set(campaignId, topic);
    topic.listeners.add(listener);
    this.timer ??= setInterval(() => void this.poll(), ROUND_MS);
    if (topic.last) listener.changed(topic.last.view);
    else void this.poll();
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

  private end(campaignId: number, listener: ProgressListener, over: boolean): void {
    this.leave(campaignId, listener);
    listener.ended(over);
  }

  private endAll(): void {
    for (const [campaignId, topic] of this.topics)
      for (const listener of topic.listeners) this.end(campaignId, listener, false);
  }

  private async poll(): Promise<void> {
    if (this.drain.begun) this.endAll();
    if (this.polling) return;
    this.polling = true;
    try {
      await this.round();
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'campaigns could not be followed, trying again');
    } finally {
      this.polling = false;
    }
  }

  private async round(): Promise<void> {
    const asked = [...this.topics.keys()];
    const rows = new Map((await this.list.byIds(asked)).map((counted) => [counted.campaign.id, counted]));
    for (const id of asked) {
      const counted = rows.get(id);
      const view = counted && (await this.views.ofOwner(counted));
      const topic = this.topics.get(id);
      if (!topic) continue;
      if (view) this.publish(topic, view);
      const over = counted !== undefined && hasEnded(counted);
      if (!counted || over) for (const listener of topic.listeners) this.end(id, listener, over);
    }
    if (++this.rounds % VIEWER_CHECK_ROUNDS === 0) await this.checkViewers();
    // Serve a listener that joined during this read immediately, not a second later.
    if ([...this.topics].some(([, topic]) => topic.last === null)) setImmediate(() => void this.poll());
  }

  private publish(topic: Topic, view: CampaignData): void {
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

  /** Ends streams whose access was lost: revoked key, closed account, expired token. */
  private async checkViewers(): Promise<void> {
    for (const [campaignId, topic] of this.topics) {
      for (const listener of topic.listeners) {
        const may = await listener.mayRead().catch((error: unknown) => !(error instanceof AppError));
        if (!may) this.end(campaignId, listener, false);
      }
    }
  }
}

const TO_BE_SETTLED = [RecipientStatus.Pending, RecipientStatus.Retrying];

/** True in an end state without recipients left to cancel; late receipts may still arrive. */
const hasEnded = ({ campaign, counts }: CountedCampaign): boolean =>
  isEndState(campaign.state) && TO_BE_SETTLED.every((status) => (counts.get(status) ?? 0) === 0);
