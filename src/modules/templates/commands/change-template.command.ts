import { Command } from '@nestjs/cqrs';
import type { RawTemplate } from '../domain/template-form.js';
import type { Template } from '../domain/template.js';

/**
 * The owner changes a template while it is a draft, rejected or pending (decisions §6); it goes back to review, with the
 * upstream too. Fields that are absent stay as they are.
 * @throws AppError not_found `Template not found` (also for another account's); conflict `Template is already <state>`,
 * `This template name is already exist`; invalid: the rows of creation
 */
export class ChangeTemplateCommand extends Command<Template> {
  constructor(
    readonly accountId: number,
    readonly templateId: number,
    readonly changes: RawTemplate,
  ) {
    super();
  }
}
