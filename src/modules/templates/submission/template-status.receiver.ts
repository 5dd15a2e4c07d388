import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import type { ChatAccount, TemplateStatusSink, TemplateStatusUpdate } from '../../providers/index.js';
import type { Template } from '../domain/template.js';
import { readLanguage } from '../domain/languages.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateStore } from '../persistence/template-store.js';
import { UpstreamReviews } from './upstream-reviews.js';

/** Takes the upstream's status webhooks. Only templates of the account that the callback belongs to are touched. */
@Injectable()
export class TemplateStatusReceiver implements TemplateStatusSink {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly reviews: UpstreamReviews,
  ) {}

  async accept({ accountId }: ChatAccount, updates: readonly TemplateStatusUpdate[]): Promise<void> {
    for (const update of updates) await inTransaction(this.dataSource, (tx) => this.take(tx, accountId, update));
  }

  private async take(tx: EntityManager, accountId: number, update: TemplateStatusUpdate): Promise<void> {
    const { upstreamId, name, event, reason } = update;
    const template = await this.store.lockedByUpstream(tx, accountId, { id: upstreamId, name });
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
