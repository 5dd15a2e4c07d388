import { Command } from '@nestjs/cqrs';

/**
 * The owner deletes a template while it is a draft, rejected or pending (decisions §6); the upstream's copy goes too.
 * @throws AppError not_found `Template not found` (also for another account's); conflict `Template is already <state>`
 */
export class RemoveTemplateCommand extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly templateId: number,
  ) {
    super();
  }
}
