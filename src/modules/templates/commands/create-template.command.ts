import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { assertWithin } from '../../quotas/index.js';
import type { TemplateContent } from '../domain/template.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateStore } from '../persistence/template-store.js';
import { TemplateEntity } from '../persistence/template.entities.js';
import { templateErrors } from '../templates.errors.js';
import { namingTakenNames } from './taken-names.js';

/** The ids of a new template. */
export interface CreatedTemplate {
  templateId: number;
  /** its row of the controller queue */
  controllerId: number;
}

/**
 * Creates a template that passed the error table, pending review, with its controller row, and queues it for the
 * upstream: one transaction.
 * @throws AppError conflict `This template name is already exist`; invalid `At most <TEMPLATES_PER_ACCOUNT> templates are allowed`,
 * `At most <STORAGE_PER_ACCOUNT> stored bytes are allowed`
 */
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
