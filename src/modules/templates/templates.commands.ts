import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { assertSeen } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { duplicateKeyName, inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { assertWithin } from '../quotas/index.js';
import { SubmissionQueue } from './submissions.store.js';
import { TemplateEntity } from './tables.js';
import { rawOf, type RawTemplate, readTemplate } from './template-form.js';
import {
  isOwnersToChange,
  isVerdict,
  statusAfter,
  type Template,
  type TemplateContent,
  type TemplateMove,
  TemplateStatus,
} from './template.js';
import { templateErrors } from './templates.errors.js';
import { TemplateStore } from './templates.store.js';

const NAME_KEY = /\buq_templates_name$/;

// The unique key decides: a check before the insert would race.
async function namingTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw NAME_KEY.test(duplicateKeyName(error) ?? '') ? templateErrors.nameTaken() : error;
  }
}

export interface CreatedTemplate {
  templateId: number;
  /** id of its controller row */
  controllerId: number;
}

/** Creates a template, pending review, and queues it for the provider. Throws AppError conflict or invalid (quotas). */
export class CreateTemplateCommand extends Command<CreatedTemplate> {
  constructor(
    readonly actor: Account,
    readonly content: TemplateContent,
  ) {
    super();
  }
}

@CommandHandler(CreateTemplateCommand)
export class CreateTemplateHandler implements ICommandHandler<CreateTemplateCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, content }: CreateTemplateCommand): Promise<CreatedTemplate> {
    return namingTakenNames(() =>
      inTransaction(this.dataSource, async (tx) => {
        const { template, controllerId } = await this.store.create(tx, actor.id, content);
        const quota = { accountId: actor.id, kind: 'templates', most: this.environment.TEMPLATES_PER_ACCOUNT } as const;
        await assertWithin(tx, quota, TemplateEntity, templateErrors.tooMany);
        await this.store.count(tx, template);
        await this.queue.submit(tx, template);
        const { id, name } = template;
        const entry = { action: 'template.create', subject: String(id), details: { template_name: name } };
        await this.audit.record(tx, { actor, ...entry });
        return { templateId: template.id, controllerId };
      }),
    );
  }
}

// Locks a template that its owner may change; other states are a conflict.
async function ownersTemplate(
  tx: EntityManager,
  store: TemplateStore,
  accountId: number,
  templateId: number,
): Promise<Template> {
  const template = await store.locked(tx, templateId);
  if (template?.accountId !== accountId) throw templateErrors.notFound();
  if (!isOwnersToChange(template.status)) throw templateErrors.wrongState(template.status);
  return template;
}

/** Changes a draft, rejected or pending template (absent fields stay) and resubmits it. Throws not_found, conflict, invalid. */
export class ChangeTemplateCommand extends Command<Template> {
  constructor(
    readonly actor: Account,
    readonly templateId: number,
    readonly changes: RawTemplate,
  ) {
    super();
  }
}

@CommandHandler(ChangeTemplateCommand)
export class ChangeTemplateHandler implements ICommandHandler<ChangeTemplateCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, templateId, changes }: ChangeTemplateCommand): Promise<Template> {
    return namingTakenNames(() =>
      inTransaction(this.dataSource, async (tx) => {
        const template = await ownersTemplate(tx, this.store, actor.id, templateId);
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const read = readTemplate({ ...rawOf(template), ...given });
        if ('fault' in read) throw read.fault();
        const details = { template_name: read.content.name, fields: Object.keys(given) };
        await this.audit.record(tx, { actor, action: 'template.change', subject: String(templateId), details });
        return this.change(tx, template, read.content);
      }),
    );
  }

  private async change(tx: EntityManager, template: Template, content: TemplateContent): Promise<Template> {
    // The provider cannot rename a template or change its language: the old one is removed, a new one submitted.
    const isAnother = content.name !== template.name || content.language.code !== template.language.code;
    const upstreamId = isAnother ? null : template.upstreamId;
    await this.store.change(tx, template, content, upstreamId);
    if (isAnother) await this.queue.remove(tx, template);
    const changed = { ...template, ...content, upstreamId, status: TemplateStatus.Pending, reason: null };
    await this.queue.submit(tx, changed);
    return changed;
  }
}

/** Approves, rejects, pauses, resumes or disables any template (audited); returns the status. Throws not_found, conflict. */
export class MoveTemplateCommand extends Command<TemplateStatus> {
  /** @param revision that staff reviewed; null is accepted only for an unchanged template */
  constructor(
    readonly actor: Account,
    readonly templateId: number,
    readonly move: TemplateMove,
    readonly reason: string | null,
    readonly revision: number | null,
  ) {
    super();
  }
}

@CommandHandler(MoveTemplateCommand)
export class MoveTemplateHandler implements ICommandHandler<MoveTemplateCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, templateId, move, reason, revision }: MoveTemplateCommand): Promise<TemplateStatus> {
    return inTransaction(this.dataSource, async (tx) => {
      const template = await this.store.locked(tx, templateId);
      if (!template) throw templateErrors.notFound();
      const status = statusAfter(move, template.status);
      if (status === null) throw templateErrors.wrongState(template.status);
      if (revision !== null || isVerdict(move)) assertSeen(template.revision, revision);
      await this.store.move(tx, template, status, reason);
      const details = {
        template_name: template.name,
        from: template.status,
        to: status,
        reason,
        revision: template.revision,
      };
      await this.audit.record(tx, {
        actor,
        action: `template.${move}`,
        subject: String(templateId),
        accountId: template.accountId,
        details,
      });
      return status;
    });
  }
}

/** Deletes an owner's draft, rejected or pending template, also at the provider. Throws AppError not_found, conflict. */
export class RemoveTemplateCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly templateId: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveTemplateCommand)
export class RemoveTemplateHandler implements ICommandHandler<RemoveTemplateCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, templateId }: RemoveTemplateCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const template = await ownersTemplate(tx, this.store, actor.id, templateId);
      await this.store.remove(tx, template);
      await this.queue.remove(tx, template);
      const details = { template_name: template.name };
      await this.audit.record(tx, { actor, action: 'template.remove', subject: String(templateId), details });
    });
  }
}
