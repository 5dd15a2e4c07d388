import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateStore } from '../persistence/template-store.js';
import { ownersTemplate } from './owners-template.js';

/**
 * The owner deletes a template while it is a draft, rejected or pending (reference/templates#own-templates); the
 * upstream's copy goes too.
 * @throws AppError not_found `Template not found` (also for another account's); conflict `Template is already <state>`
 */
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
