import { Command } from '@nestjs/cqrs';
import type { TemplateContent } from '../domain/template.js';

/** What the owner is told of a new template. */
export interface CreatedTemplate {
  templateId: number;
  /** its row of the controller queue */
  controllerId: number;
}

/**
 * Creates a template that passed the error table, pending review, with its controller row, and queues it for the
 * upstream: one transaction.
 * @throws AppError conflict `This template name is already exist`; invalid `At most <TEMPLATES_PER_ACCOUNT> templates are allowed`
 */
export class CreateTemplateCommand extends Command<CreatedTemplate> {
  constructor(
    readonly accountId: number,
    readonly content: TemplateContent,
  ) {
    super();
  }
}
