import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import type { ChatAccount, TemplateStatusSink, TemplateUpdate } from '../providers/index.js';
import { readLanguage } from './languages.js';
import { SubmissionQueue } from './submissions.store.js';
import { readCategory, statusAfter, type Template, type TemplateMove } from './template.js';
import { TemplateStore } from './templates.store.js';

// Provider statuses with an effect (reference/templates#statuses); an approval also ends a pause.
const MOVES: ReadonlyMap<string, readonly TemplateMove[]> = new Map([
  ['APPROVED', ['approve', 'resume']],
  ['REJECTED', ['reject']],
  ['PAUSED', ['pause']],
  ['DISABLED', ['disable']],
]);

/** Applies the provider's reviews and categories to templates. */
@Injectable()
export class ProviderReviews {
  constructor(private readonly store: TemplateStore) {}

  /** Applies a reported status to a locked template; ignores disallowed ones, so repeats and delays are harmless. */
  async follow(tx: EntityManager, template: Template, reported: string | null, reason: string | null): Promise<void> {
    for (const move of MOVES.get(reported ?? '') ?? []) {
      const status = statusAfter(move, template.status);
      if (status !== null) return this.store.move(tx, template, status, reason);
    }
  }

  /** Applies or announces a reported category; other words are ignored. */
  async recategorise(
    tx: EntityManager,
    template: Template,
    reported: Pick<TemplateUpdate, 'category' | 'upcomingCategory'>,
  ): Promise<void> {
    const category = readCategory(reported.category);
    if (category) await this.store.recategorise(tx, template, category);
    const upcoming = readCategory(reported.upcomingCategory);
    if (upcoming) await this.store.announceCategory(tx, category ? { ...template, category } : template, upcoming);
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

  async accept({ accountId }: ChatAccount, updates: readonly TemplateUpdate[]): Promise<TemplateUpdate[]> {
    const strange: TemplateUpdate[] = [];
    for (const update of updates) {
      const isOurs = await inTransaction(this.dataSource, (tx) => this.take(tx, accountId, update));
      if (!isOurs) strange.push(update);
    }
    return strange;
  }

  /** @returns whether the account has the template */
  private async take(tx: EntityManager, accountId: number, update: TemplateUpdate): Promise<boolean> {
    const { upstreamId, name, event, reason } = update;
    const template = await this.store.lockedByProviderId(tx, accountId, { id: upstreamId, name });
    if (!template || !isAbout(template, update)) return false;
    const state = await this.queue.stateOf(tx, template.id);
    // Not submitted under this name yet: the status is for another template, such as a deleted one of the same name.
    if (state === 'unseen') return false;
    if (template.upstreamId === null && upstreamId !== null) {
      await this.store.storeProviderId(tx, template.id, upstreamId);
    }
    // The owner has changed the template since: this review is for the older content.
    if (state === 'older') return true;
    await this.reviews.follow(tx, template, event, reason);
    await this.reviews.recategorise(tx, template, update);
    return true;
  }
}

// The webhook may arrive before the answer with the id: until then the name's language decides.
function isAbout(template: Template, { upstreamId, language }: TemplateUpdate): boolean {
  if (template.upstreamId !== null && upstreamId !== null) return template.upstreamId === upstreamId;
  const { code } = template.language;
  return language === null || language === code || readLanguage(language)?.code === code;
}
