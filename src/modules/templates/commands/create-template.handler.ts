import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateStore } from '../persistence/template-store.js';
import { type CreatedTemplate, CreateTemplateCommand } from './create-template.command.js';
import { namingTakenNames } from './taken-names.js';

@CommandHandler(CreateTemplateCommand)
export class CreateTemplateHandler implements ICommandHandler<CreateTemplateCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
  ) {}

  execute({ accountId, content }: CreateTemplateCommand): Promise<CreatedTemplate> {
    return namingTakenNames(() =>
      inTransaction(this.dataSource, async (tx) => {
        const { template, controllerId } = await this.store.create(tx, accountId, content);
        await this.queue.submit(tx, template);
        return { templateId: template.id, controllerId };
      }),
    );
  }
}
