import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type Account,
  AuditLog,
  type Gone,
  isBeyond,
  isMadeBy,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
} from '../../accounts/index.js';
import { KeywordStore, type StoredKeyword } from './keywords.store.js';

/** Answers that people and keys set: they cost credits, and end with their maker. What a word stops stays stopped. */
@Injectable()
export class MadeKeywords implements MadeThingListener {
  constructor(
    private readonly store: KeywordStore,
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const answers = await this.answers(source, gone);
    return answers.map(({ word }) => ({ kind: 'keyword', id: 0, name: word, is_active: true }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    if (!isBeyond(gone, 'manage')) return;
    const { id: accountId, username: subject } = gone.account;
    for (const keyword of await this.answers(tx, gone)) {
      await this.store.silence(tx, accountId, keyword);
      const action = keyword.action === 'reply' ? 'keyword.remove' : 'keyword.put';
      const details = { word: keyword.word, action: keyword.action, reason: 'its maker lost the right' };
      await this.audit.record(tx, { actor, action, subject, accountId, details });
    }
  }

  private async answers(source: EntityManager, gone: Gone): Promise<StoredKeyword[]> {
    const all = await this.store.list(gone.account.id, source);
    return all.filter(({ reply, createdBy }) => reply !== null && isMadeBy(gone, createdBy));
  }
}
