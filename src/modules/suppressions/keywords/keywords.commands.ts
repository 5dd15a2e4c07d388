import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { keywordErrors } from './keywords.errors.js';
import { KeywordStore, MOST_KEYWORDS, type StoredKeyword } from './keywords.store.js';
import { type Keyword, wordOf } from './words.js';

/** Adds or replaces a keyword, with an audit entry. @throws AppError invalid over the limit */
export class PutKeywordCommand extends Command<StoredKeyword> {
  constructor(
    readonly account: Account,
    readonly keyword: Keyword,
  ) {
    super();
  }
}

@CommandHandler(PutKeywordCommand)
export class PutKeywordHandler implements ICommandHandler<PutKeywordCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: KeywordStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ account, keyword }: PutKeywordCommand): Promise<StoredKeyword> {
    const made = { ...keyword, createdBy: createdBy(account) };
    await inTransaction(this.dataSource, async (tx) => {
      if ((await this.store.put(tx, account.id, made)) > MOST_KEYWORDS) throw keywordErrors.tooMany();
      const { word, action } = keyword;
      const entry = { action: 'keyword.put', subject: account.username, details: { word, action } };
      await this.audit.record(tx, { actor: account, ...entry });
    });
    return { ...made, updatedAt: now() };
  }
}

/** Removes a keyword, with an audit entry. @throws AppError not_found */
export class RemoveKeywordCommand extends Command<void> {
  constructor(
    readonly account: Account,
    readonly word: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveKeywordCommand)
export class RemoveKeywordHandler implements ICommandHandler<RemoveKeywordCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: KeywordStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ account, word }: RemoveKeywordCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const read = wordOf(word);
      if (!(await this.store.remove(tx, account.id, read))) throw keywordErrors.notFound();
      const entry = { action: 'keyword.remove', subject: account.username, details: { word: read } };
      await this.audit.record(tx, { actor: account, ...entry });
    });
  }
}
