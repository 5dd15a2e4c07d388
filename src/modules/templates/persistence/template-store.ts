import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { changedSince, FIRST_REVISION } from '../../../kernel/revision.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { CustomerEvents } from '../../customer-events/index.js';
import { addStored, freeStored } from '../../quotas/index.js';
import { CONTROLLER_TYPES, type Template, type TemplateContent } from '../domain/template.js';
import { controllerStatusAfter, TemplateStatus } from '../domain/template-status.js';
import { columnsOf, templateBytes, templateOf } from './template-rows.js';
import { TemplateControllerEntity, TemplateEntity } from './template.entities.js';

/** Longest reason that is kept, in code points. */
export const LONGEST_REASON = 500;

/** Writes templates together with their rows of the controller queue. Lock order: template, controller, submissions. */
@Injectable()
export class TemplateStore {
  constructor(
    private readonly events: CustomerEvents,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  /**
   * A new template, pending review (reference/templates#statuses), and its controller row; `count` counts its bytes.
   * @throws QueryFailedError duplicate key when the account has the name already
   */
  async create(
    tx: EntityManager,
    accountId: number,
    content: TemplateContent,
  ): Promise<{ template: Template; controllerId: number }> {
    const at = now();
    const inserted = await tx.insert(TemplateEntity, {
      ...columnsOf(content),
      accountId,
      status: TemplateStatus.Pending,
      reason: null,
      upstreamId: null,
      revision: FIRST_REVISION,
      createdAt: at,
      updatedAt: at,
    });
    const id = insertedId(inserted);
    const controller = await tx.insert(TemplateControllerEntity, {
      templateId: id,
      type: CONTROLLER_TYPES[content.category],
      controllerStatus: 'pending',
      createdAt: at,
      updatedAt: at,
    });
    const fresh = { status: TemplateStatus.Pending, reason: null, upstreamId: null, revision: FIRST_REVISION };
    return { template: { ...content, ...fresh, id, accountId, createdAt: at }, controllerId: insertedId(controller) };
  }

  /** Counts the bytes of a new template. @throws AppError invalid `At most 1073741824 stored bytes are allowed` */
  count(tx: EntityManager, template: Template): Promise<void> {
    return addStored(tx, template.accountId, templateBytes(template), this.environment.STORAGE_PER_ACCOUNT);
  }

  /** The template itself, locked; null when there is none. */
  async locked(tx: EntityManager, id: number): Promise<Template | null> {
    const row = await tx.findOne(TemplateEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row && templateOf(row);
  }

  /** The template that an upstream means, locked: by its id there, else by the account's name for it. */
  async lockedByUpstream(
    tx: EntityManager,
    accountId: number,
    upstream: { id: string | null; name: string },
  ): Promise<Template | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    const { id: upstreamId, name } = upstream;
    const byId =
      upstreamId === null ? null : await tx.findOne(TemplateEntity, { where: { accountId, upstreamId }, lock });
    const row = byId ?? (await tx.findOne(TemplateEntity, { where: { accountId, name }, lock }));
    return row && templateOf(row);
  }

  /**
   * Another content under a revision of its own; the template goes back to review.
   * @throws QueryFailedError duplicate key when the account has the name already
   * @throws AppError invalid `At most 1073741824 stored bytes are allowed`
   */
  async change(
    tx: EntityManager,
    template: Template,
    content: TemplateContent,
    upstreamId: string | null,
  ): Promise<void> {
    const at = now();
    const { id } = template;
    const { Pending: status } = TemplateStatus;
    const revision = template.revision + 1;
    const columns = { ...columnsOf(content), status, reason: null, upstreamId, revision, updatedAt: at };
    await tx.update(TemplateEntity, { id }, columns);
    await tx.update(
      TemplateControllerEntity,
      { templateId: id },
      { type: CONTROLLER_TYPES[content.category], controllerStatus: 'pending', updatedAt: at },
    );
    const growth = templateBytes(content) - templateBytes(template);
    await addStored(tx, template.accountId, growth, this.environment.STORAGE_PER_ACCOUNT);
    if (template.status !== status) await this.publish(tx, { ...template, name: content.name }, status, null);
  }

  async remove(tx: EntityManager, template: Template): Promise<void> {
    await tx.delete(TemplateEntity, { id: template.id });
    await tx.delete(TemplateControllerEntity, { templateId: template.id });
    await freeStored(tx, template.accountId, templateBytes(template));
  }

  /**
   * Another status, if the template still is what was read; the controller row follows where it was judged
   * (reference/templates#controller-queue).
   * @throws AppError conflict `Changed since you looked`
   */
  async move(tx: EntityManager, template: Template, status: TemplateStatus, reason: string | null): Promise<void> {
    const at = now();
    const { id, revision } = template;
    const kept = reason === null ? null : cutCodePoints(reason, LONGEST_REASON);
    const { affected } = await tx.update(
      TemplateEntity,
      { id, revision, status: template.status },
      { status, reason: kept, updatedAt: at },
    );
    if (affected !== 1) throw changedSince();
    const controllerStatus = controllerStatusAfter(status);
    if (controllerStatus) {
      await tx.update(TemplateControllerEntity, { templateId: id }, { controllerStatus, updatedAt: at });
    }
    await this.publish(tx, template, status, kept);
  }

  /** The owner's webhooks learn of every status (reference/templates#events). */
  private async publish(
    tx: EntityManager,
    { id, accountId, name }: Template,
    status: TemplateStatus,
    reason: string | null,
  ): Promise<void> {
    const type = 'template.status.update';
    const body = { event: type, template_id: id, template_name: name, status, reason };
    await this.events.publish(tx, [{ accountId, type, body }]);
  }

  /** The upstream has it under this id. */
  async settleUpstream(tx: EntityManager, id: number, upstreamId: string): Promise<void> {
    await tx.update(TemplateEntity, { id }, { upstreamId });
  }
}

const insertedId = (result: { identifiers: readonly Record<string, unknown>[] }): number =>
  Number(result.identifiers[0]?.['id']);
