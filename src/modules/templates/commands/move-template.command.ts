import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { TemplateMove, TemplateStatus } from '../domain/template-status.js';

/**
 * The desk approves, rejects, pauses, resumes or disables a template of any account; kept in the audit log.
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
