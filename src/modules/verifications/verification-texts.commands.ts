import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { type VerificationText, VerificationTexts } from './verification-texts.store.js';
import { textErrors } from './verifications.errors.js';

/** Puts a text for verifications of all accounts. @throws AppError invalid over the bound */
export class PutVerificationTextCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly text: VerificationText,
  ) {
    super();
  }
}

@CommandHandler(PutVerificationTextCommand)
export class PutVerificationTextHandler implements ICommandHandler<PutVerificationTextCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly texts: VerificationTexts,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, text }: PutVerificationTextCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.texts.put(tx, text);
      const entry = { action: 'verification_text.put', subject: `${text.name}/${text.locale}` };
      await this.audit.record(tx, { actor, ...entry, details: { text: text.text } });
    });
  }
}

/** Removes a text; a built-in one of this name and locale holds again. @throws AppError not_found */
export class RemoveVerificationTextCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly locale: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveVerificationTextCommand)
export class RemoveVerificationTextHandler implements ICommandHandler<RemoveVerificationTextCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly texts: VerificationTexts,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, locale }: RemoveVerificationTextCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      if (!(await this.texts.remove(tx, name, locale))) throw textErrors.notFound();
      await this.audit.record(tx, {
        actor,
        action: 'verification_text.remove',
        subject: `${name}/${locale}`,
        details: {},
      });
    });
  }
}
