import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import type { ChatAccount, TemplateStatusSink, TemplateStatusUpdate } from '../providers/index.js';
import { readLanguage } from './languages.js';
import { SubmissionQueue } from './submissions.store.js';
import { statusAfter, type Template, type TemplateMove } from './template.js';
import { TemplateStore } from './templates.store.js';

// Provider statuses with an effect (reference/templates#statuses); an approval also ends a pause.
const MOVES: ReadonlyMap<string, readonly TemplateMove[]> = new Map([
  ['APPROVED', ['approve', 'resume']],
  ['REJECTED', ['reject']],
  ['PAUSED', ['pause']],
  ['DISABLED', ['disable']],
]);

/** Applies the provider's reviews to templates. */
@Injectable()
export class ProviderReviews {
  constructor(private readonly store: TemplateStore) {}

  /** Applies a reported status to a locked template; ignores disallowed ones, so repeats and delays are harmless. */
  async follow(tx: EntityManager, template: Template, reported: string, reason: string | null): Promise<void> {
    for (const move of MOVES.get(reported) ?? []) {
      const status = statusAfter(move, template.status);
      if (status !== null) return this.store.move(tx, template, status, reason);
    }
  }
}

/** Receives the provider's status webhooks, only for templates of the callback's account. */
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
    const state = await this.queue.stateOf(tx, template.id);
    // Not submitted under this name yet: the status is for another template, such as a deleted one of the same name.
    if (state === 'unseen') return;
    if (template.upstreamId === null && upstreamId !== null) {
      await this.store.storeProviderId(tx, template.id, upstreamId);
    }
    // The owner has changed the template since: this review is for the older content.
    if (state === 'older') return;
    await this.reviews.follow(tx, template, event, reason);
  }
}

// The webhook may arrive before the answer with the id: until then the name's language decides.
function isAbout(template: Template, { upstreamId, language }: TemplateStatusUpdate): boolean {
  if (template.upstreamId !== null && upstreamId !== null) return template.upstreamId === upstreamId;
  const { code } = template.language;
  return language === null || language === code || readLanguage(language)?.code === code;
}
