import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { listKeys } from '../../../platform/database/index.js';
import type { Account } from '../../accounts/index.js';
import { ownTemplateAnswer, type OwnTemplateAnswer } from '../http/own-template.dto.js';
import { TemplateLibrary } from '../persistence/template-library.js';

/** Templates in batches of bounded size. */
export type OwnTemplatePage = Omit<Listed<never>, 'items'> & { items: AsyncIterable<OwnTemplateAnswer[]> };

/** An account's templates with everything that it has written, the newest first, or one of them. */
export class OwnTemplatesQuery extends Query<OwnTemplatePage> {
  /** @param id null = all */
  constructor(
    readonly account: Account,
    readonly id: number | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(OwnTemplatesQuery)
export class OwnTemplatesHandler implements IQueryHandler<OwnTemplatesQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly library: TemplateLibrary,
  ) {}

  async execute({ account, id, page }: OwnTemplatesQuery): Promise<OwnTemplatePage> {
    const range =
      id === null
        ? { where: 'account_id = ?', values: [account.id] }
        : { where: 'id = ? AND account_id = ?', values: [id, account.id] };
    // The index has an account's templates by name: a bounded number, sorted anew.
    const index = id === null ? 'uq_templates_name' : 'PRIMARY';
    const list = { table: 'templates', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    return { ...ids, items: this.views(ids.items, account) };
  }

  private async *views(ids: readonly number[], account: Account): AsyncGenerator<OwnTemplateAnswer[], void, undefined> {
    for await (const rows of this.library.rows(ids)) yield rows.map((row) => ownTemplateAnswer(row, account));
  }
}
