import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import type { ChatAccount, TemplateStatusSink, TemplateStatusUpdate } from '../providers/index.js';
import { SubmissionQueue } from './submissions.store.js';
import { readLanguage, statusAfter, type Template, type TemplateMove } from './template.js';
import { TemplateStore } from './templates.store.js';

/**
 * What a status reported by the upstream does to a template (reference/templates#statuses); an approval also ends a pause.
 * Others do nothing.
 */
const MOVES: ReadonlyMap<string, readonly TemplateMove[]> = new Map([
  ['APPROVED', ['approve', 'resume']],
  ['REJECTED', ['reject']],
  ['PAUSED', ['pause']],
  ['DISABLED', ['disable']],
]);

/** Lets a template follow the upstream's review. */
@Injectable()
export class ProviderReviews {
  constructor(private readonly store: TemplateStore) {}

  /**
   * @param template locked
   * @param reported the upstream's status, upper case; one that the template's status does not allow is ignored, so
   * repeated and late ones are harmless
   */
  async follow(tx: EntityManager, template: Template, reported: string, reason: string | null): Promise<void> {
    for (const move of MOVES.get(reported) ?? []) {
      const status = statusAfter(move, template.status);
      if (status !== null) return this.store.move(tx, template, status, reason);
    }
  }
}

/** Takes the upstream's status webhooks. Only templates of the account that the callback belongs to are touched. */
@Injectable()
export class TemplateStatusReceiver implements TemplateStatusSink {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly reviews: ProviderReviews,
  ) {}

  async accept({ accountId }: ChatAccount, updates: readonly TemplateStatusUpdate[]): Promise<void> {
    for (const update of updates) await inTransaction(this.dataSource, (tx) => this.take(tx, accountId, update));
  }

  private async take(tx: EntityManager, accountId: number, update: TemplateStatusUpdate): Promise<void> {
    const { upstreamId, name, event, reason } = update;
    const template = await this.store.lockedByProviderId(tx, accountId, { id: upstreamId, name });
    if (!template || !isAbout(template, update)) return;
    const stage = await this.queue.stage(tx, template.id);
    // It was never submitted under this name: the status is that of another one, such as its deleted predecessor.
    if (stage === 'unseen') return;
    if (template.upstreamId === null && upstreamId !== null) {
      await this.store.settleUpstream(tx, template.id, upstreamId);
    }
    // The owner has changed it since: this is the verdict on the older content.
    if (stage === 'older') return;
    await this.reviews.follow(tx, template, event, reason);
  }
}

/** By its id; while that is unknown here (the webhook can be faster than the answer), by the language of the name. */
function isAbout(template: Template, { upstreamId, language }: TemplateStatusUpdate): boolean {
  if (template.upstreamId !== null && upstreamId !== null) return template.upstreamId === upstreamId;
  return language === null || readLanguage(language)?.code === template.language.code;
}
