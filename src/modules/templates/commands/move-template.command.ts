import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { isVerdict, statusAfter, type TemplateMove, type TemplateStatus } from '../domain/template-status.js';
import { TemplateStore } from '../persistence/template-store.js';
import { templateErrors } from '../templates.errors.js';

/**
 * Staff approve, reject, pause, resume or disable a template of any account; kept in the audit log.
 * Answers the status it has afterwards.
 * @throws AppError not_found `Template not found`; conflict `Template is already <state>`, `Changed since you looked`
 */
export class MoveTemplateCommand extends Command<TemplateStatus> {
  /** @param revision what was looked at; null = not named, which a verdict on a changed template may not be */
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
