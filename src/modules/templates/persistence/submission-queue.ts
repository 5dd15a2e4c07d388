import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import type { Template } from '../domain/template.js';
import { TemplateSubmissionEntity } from './template.entities.js';

/** Something that the upstream has yet to be told, taken by one worker. */
export type Submission = Pick<
  TemplateSubmissionEntity,
  'id' | 'templateId' | 'accountId' | 'upstreamId' | 'name' | 'revision' | 'leftRevision' | 'attempts'
> & { action: 'submit' | 'remove' };

/** How long a taken row is left to its worker; then another one takes it. Longer than all calls of one submission. */
const LEASE_MS = 5 * 60_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 3_600_000;

/**
 * What the upstream has yet to be told of templates: written with the template's own change, worked off by the
 * workers, so that a silent upstream never fails a request and nothing is forgotten.
 */
@Injectable()
export class SubmissionQueue {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The template as it stands now is to be reviewed; takes the place of an older content that still waits. */
  async submit(tx: EntityManager, template: Pick<Template, 'id' | 'accountId' | 'name'>): Promise<void> {
    const { id: templateId, accountId, name } = template;
    await tx
      .createQueryBuilder()
      .insert()
      .into(TemplateSubmissionEntity)
      .values({ ...fresh(), templateId, accountId, name, action: 'submit', upstreamId: '' })
      .orUpdate(['revision', 'due_at'])
      .execute();
  }

  /** The upstream's copy is to go. Nothing to tell when none can have reached it. */
  async remove(tx: EntityManager, template: Pick<Template, 'id' | 'accountId' | 'name' | 'upstreamId'>): Promise<void> {
    const { id: templateId, accountId, name, upstreamId } = template;
    const waiting = await tx.findOneBy(TemplateSubmissionEntity, { templateId, action: 'submit' });
    await tx.delete(TemplateSubmissionEntity, { templateId, action: 'submit' });
    const mayHaveLeft = waiting !== null && waiting.leftRevision !== null;
    if (upstreamId === null && !mayHaveLeft) return;
    await tx
      .createQueryBuilder()
      .insert()
      .into(TemplateSubmissionEntity)
      .values({
        ...fresh(),
        templateId,
        accountId,
        name,
        action: 'remove',
        upstreamId: upstreamId ?? '',
        // a submission may be under way at this moment: it must have arrived before it can be removed
        ...(mayHaveLeft && { dueAt: after(LEASE_MS) }),
      })
      .orUpdate(['revision', 'due_at'])
      .execute();
  }

  /** Whether a content that the upstream has not seen still waits: what it says meanwhile is about an older one. */
  async isAhead(tx: EntityManager, templateId: number): Promise<boolean> {
    const waiting = await tx.findOneBy(TemplateSubmissionEntity, { templateId, action: 'submit' });
    return waiting !== null && waiting.leftRevision !== waiting.revision;
  }

  /** Takes what is due, the oldest first; several workers never take the same. */
  take(most: number): Promise<Submission[]> {
    return inTransaction(this.dataSource, async (tx) => {
      const rows = await tx
        .createQueryBuilder(TemplateSubmissionEntity, 'submission')
        .where('submission.dueAt <= :at', { at: now() })
        .orderBy('submission.dueAt')
        .limit(most)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getMany();
      if (rows.length > 0) {
        await tx.update(TemplateSubmissionEntity, { id: In(rows.map(({ id }) => id)) }, { dueAt: after(LEASE_MS) });
      }
      return rows.map(submissionOf);
    });
  }

  /** To be written before the request leaves. @returns false when the owner changed the template meanwhile */
  async leaving({ id, revision }: Submission): Promise<boolean> {
    const { affected } = await this.dataSource
      .getRepository(TemplateSubmissionEntity)
      .update({ id, revision }, { leftRevision: revision });
    return affected === 1;
  }

  /** Done. @returns false when a newer content waits, which the answer says nothing about */
  async finish(tx: EntityManager, { id, revision }: Submission): Promise<boolean> {
    const { affected } = await tx.delete(TemplateSubmissionEntity, { id, revision });
    return affected === 1;
  }

  /** Once more, later and later (5 s, doubled up to an hour). @param mayHaveLeft whether the upstream may have it */
  async postpone(submission: Submission, mayHaveLeft: boolean): Promise<void> {
    const { id, revision, attempts } = submission;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts, 20), LONGEST_DELAY_MS);
    const leftRevision = mayHaveLeft ? revision : submission.leftRevision;
    await this.dataSource
      .getRepository(TemplateSubmissionEntity)
      .update({ id, revision }, { leftRevision, attempts: attempts + 1, dueAt: after(delay) });
  }
}

const after = (milliseconds: number): Date => new Date(now().getTime() + milliseconds);

const fresh = () => ({ revision: randomUUID(), leftRevision: null, attempts: 0, dueAt: now() });

function submissionOf(row: TemplateSubmissionEntity): Submission {
  const { id, templateId, accountId, upstreamId, name, revision, leftRevision, attempts } = row;
  const action = row.action === 'remove' ? 'remove' : 'submit';
  return { id, templateId, accountId, action, upstreamId, name, revision, leftRevision, attempts };
}
