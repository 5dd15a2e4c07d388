import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { takeDue } from '../../platform/database/index.js';
import { LONGEST_DELAY_MS, TemplateSubmissionEntity } from './tables.js';
import type { Template } from './template.js';

/** A change that has yet to be submitted to the upstream, taken by one worker. */
export type Submission = Pick<
  TemplateSubmissionEntity,
  'id' | 'templateId' | 'accountId' | 'upstreamId' | 'name' | 'language' | 'revision' | 'leftRevision' | 'attempts'
> & { action: 'submit' | 'remove' };

/**
 * How far the upstream knows a template's present content:
 * - `settled`: nothing waits to be submitted
 * - `unseen`: it has not seen anything of what waits
 * - `older`: what it may have seen is an older content
 * - `leaving`: it may have seen it, and its answer is not known here
 */
export type SubmissionStage = 'settled' | 'unseen' | 'older' | 'leaving';

interface SubmissionRow {
  id: number;
  template_id: number;
  account_id: number;
  action: string;
  upstream_id: string;
  name: Buffer;
  language: string;
  revision: string;
  left_revision: string | null;
  attempts: number;
}

const TEMPLATE_COLUMNS = ['template_id', 'account_id', 'action', 'upstream_id', 'name', 'language'];
const STATE_COLUMNS = ['revision', 'left_revision', 'attempts'];

/** How long a taken row is left to its worker; then another one takes it. Longer than all calls of one submission. */
const LEASE_MS = 5 * 60_000;
const FIRST_DELAY_MS = 5_000;

/**
 * Changes of templates that have yet to be submitted to the upstream: written with the template's own change, worked off
 * by the workers, so that a silent upstream never fails a request and no change is lost.
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
      .values({ ...fresh(), templateId, accountId, name, language: '', action: 'submit', upstreamId: '' })
      .orUpdate(['revision', 'due_at'])
      .execute();
  }

  /** The upstream's copy is to go. Nothing is queued when none can have reached it. */
  async remove(
    tx: EntityManager,
    template: Pick<Template, 'id' | 'accountId' | 'name' | 'language' | 'upstreamId'>,
  ): Promise<void> {
    const { id: templateId, accountId, name, upstreamId } = template;
    // Locked, so that it cannot leave between this look and its end.
    const waiting = await tx.findOne(TemplateSubmissionEntity, {
      where: { templateId, action: 'submit' },
      lock: { mode: 'pessimistic_write' },
    });
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
        language: template.language.code,
        action: 'remove',
        upstreamId: upstreamId ?? '',
        // a submission may be under way at this moment: it must have arrived before it can be removed
        ...(mayHaveLeft && { dueAt: after(LEASE_MS) }),
      })
      .orUpdate(['revision', 'due_at'])
      .execute();
  }

  /** Which content a status that the upstream reports for this template may refer to. */
  async stage(tx: EntityManager, templateId: number): Promise<SubmissionStage> {
    const waiting = await tx.findOneBy(TemplateSubmissionEntity, { templateId, action: 'submit' });
    if (waiting === null) return 'settled';
    if (waiting.leftRevision === null) return 'unseen';
    return waiting.leftRevision === waiting.revision ? 'leaving' : 'older';
  }

  /** Whether an older template of this name is still to be taken away there. */
  isLeavingName(accountId: number, name: string): Promise<boolean> {
    return this.dataSource.getRepository(TemplateSubmissionEntity).existsBy({ accountId, name, action: 'remove' });
  }

  /** Takes what is due, the oldest first; several workers never take the same. */
  async take(most: number): Promise<Submission[]> {
    const rows = await takeDue<SubmissionRow>(this.dataSource, {
      table: 'template_submissions',
      key: ['id'],
      columns: [...TEMPLATE_COLUMNS, ...STATE_COLUMNS],
      due: 'due_at',
      most,
      againAfterMs: LEASE_MS,
    });
    return rows.map(submissionOf);
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

/** A moment of the database's clock, in SQL. */
const after = (milliseconds: number) => () => `UTC_TIMESTAMP(3) + INTERVAL ${milliseconds * 1000} MICROSECOND`;

const fresh = () => ({ revision: randomUUID(), leftRevision: null, attempts: 0, dueAt: after(0) });

function submissionOf({ id, language, revision, attempts, ...row }: SubmissionRow): Submission {
  return {
    id,
    templateId: row.template_id,
    accountId: row.account_id,
    action: row.action === 'remove' ? 'remove' : 'submit',
    upstreamId: row.upstream_id,
    name: row.name.toString(),
    language,
    revision,
    leftRevision: row.left_revision,
    attempts,
  };
}
