import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { rawOf, type RawTemplate, readTemplate } from '../domain/template-form.js';
import { TemplateStatus } from '../domain/template-status.js';
import type { Template, TemplateContent } from '../domain/template.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateStore } from '../persistence/template-store.js';
import { ownersTemplate } from './owners-template.js';
import { namingTakenNames } from './taken-names.js';

/**
 * The owner changes a template while it is a draft, rejected or pending (reference/templates#own-templates); it goes
 * back to review, with the upstream too. Fields that are absent stay as they are.
 * @throws AppError not_found `Template not found` (also for another account's); conflict `Template is already <state>`,
 * `This template name is already exist`; invalid: the rows of creation, and
 * `At most <STORAGE_PER_ACCOUNT> stored bytes are allowed`
 */
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
    // The upstream changes neither name nor language of a template: there it becomes another one.
    const isAnother = content.name !== template.name || content.language.code !== template.language.code;
    const upstreamId = isAnother ? null : template.upstreamId;
    await this.store.change(tx, template, content, upstreamId);
    if (isAnother) await this.queue.remove(tx, template);
    const changed = { ...template, ...content, upstreamId, status: TemplateStatus.Pending, reason: null };
    await this.queue.submit(tx, changed);
    return changed;
  }
}
