import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { takeDue } from '../../platform/database/index.js';
import { LONGEST_DELAY_MS, TemplateSubmissionEntity } from './tables.js';
import type { Template } from './template.js';

/** A change for the provider, claimed by one worker. */
export type TemplateSubmission = Pick<
  TemplateSubmissionEntity,
  'id' | 'templateId' | 'accountId' | 'upstreamId' | 'name' | 'language' | 'revision' | 'leftRevision' | 'attempts'
> & { action: 'submit' | 'remove' };

// settled: nothing is queued; unseen: not sent yet; older: older content may have arrived;
// leaving: the current content may have arrived, without a known answer
export type SubmissionState = 'settled' | 'unseen' | 'older' | 'leaving';

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

// A claimed row is free again after this lease, which exceeds all calls of one submission.
const LEASE_MS = 5 * 60_000;
const FIRST_DELAY_MS = 5_000;

/** Queues changes for the provider in the template's transaction: an unreachable provider fails no request, loses no change. */
@Injectable()
export class SubmissionQueue {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Queues the current content in place of an older one. */
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

  /** Queues the removal at the provider, unless the template cannot have arrived there. */
  async remove(
    tx: EntityManager,
    template: Pick<Template, 'id' | 'accountId' | 'name' | 'language' | 'upstreamId'>,
  ): Promise<void> {
    const { id: templateId, accountId, name, upstreamId } = template;
    // Locked, so that a worker cannot send it meanwhile.
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
        // a submission may be running: it must arrive before its removal
        ...(mayHaveLeft && { dueAt: after(LEASE_MS) }),
      })
      .orUpdate(['revision', 'due_at'])
      .execute();
  }

  /** The content that a reported status may refer to. */
  async stateOf(tx: EntityManager, templateId: number): Promise<SubmissionState> {
    const waiting = await tx.findOneBy(TemplateSubmissionEntity, { templateId, action: 'submit' });
    if (waiting === null) return 'settled';
    if (waiting.leftRevision === null) return 'unseen';
    return waiting.leftRevision === waiting.revision ? 'leaving' : 'older';
  }

  /** Whether an older template of this name still awaits removal at the provider. */
  isLeavingName(accountId: number, name: string): Promise<boolean> {
    return this.dataSource.getRepository(TemplateSubmissionEntity).existsBy({ accountId, name, action: 'remove' });
  }

  /** Claims due rows, oldest first; workers never claim the same row. */
  async take(most: number): Promise<TemplateSubmission[]> {
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

  /** Records the revision before its request is sent; false = the owner changed the template meanwhile. */
  async leaving({ id, revision }: TemplateSubmission): Promise<boolean> {
    const { affected } = await this.dataSource
      .getRepository(TemplateSubmissionEntity)
      .update({ id, revision }, { leftRevision: revision });
    return affected === 1;
  }

  /** Removes a finished row; false = newer content is queued, so the answer does not apply. */
  async finish(tx: EntityManager, { id, revision }: TemplateSubmission): Promise<boolean> {
    const { affected } = await tx.delete(TemplateSubmissionEntity, { id, revision });
    return affected === 1;
  }

  /** Retries after a backoff (5 s, doubled up to an hour). `mayHaveLeft` = the provider may have the content. */
  async postpone(submission: TemplateSubmission, mayHaveLeft: boolean): Promise<void> {
    const { id, revision, attempts } = submission;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts, 20), LONGEST_DELAY_MS);
    const leftRevision = mayHaveLeft ? revision : submission.leftRevision;
    await this.dataSource
      .getRepository(TemplateSubmissionEntity)
      .update({ id, revision }, { leftRevision, attempts: attempts + 1, dueAt: after(delay) });
  }
}

const after = (milliseconds: number) => () => `UTC_TIMESTAMP(3) + INTERVAL ${milliseconds * 1000} MICROSECOND`;

const fresh = () => ({ revision: randomUUID(), leftRevision: null, attempts: 0, dueAt: after(0) });

function submissionOf({ id, language, revision, attempts, ...row }: SubmissionRow): TemplateSubmission {
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
