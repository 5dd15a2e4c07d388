import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository } from 'typeorm';
import type { Listed, Page } from '../../kernel/lists.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { listKeys } from '../../platform/database/index.js';
import { type Account, AccountDirectory, isClosedToOthers } from '../accounts/index.js';
import { TemplateControllerEntity, TemplateEntity } from './tables.js';
import { languageOf } from './languages.js';
import type { TemplateStatus } from './template.js';
import {
  buttonsAndCategory,
  ownTemplateAnswer,
  type OwnTemplateAnswer,
  type ReviewedTemplate,
  storedTemplateAnswer,
  type TemplateAnswer,
} from './templates.dto.js';
import { templateErrors } from './templates.errors.js';
import { TemplateLibrary } from './templates.store.js';

export type OwnTemplatePage = Omit<Listed<never>, 'items'> & { items: AsyncIterable<OwnTemplateAnswer[]> };

/** An account's templates, newest first, or one of them, in batches of bounded size. */
export class OwnTemplatesQuery extends Query<OwnTemplatePage> {
  // `id` null = all
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
    // The name index covers the account's few templates; the result is sorted.
    const index = id === null ? 'uq_templates_name' : 'PRIMARY';
    const list = { table: 'templates', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    return { ...ids, items: this.views(ids.items, account) };
  }

  private async *views(ids: readonly number[], account: Account): AsyncGenerator<OwnTemplateAnswer[], void, undefined> {
    for await (const rows of this.library.rows(ids)) yield rows.map((row) => ownTemplateAnswer(row, account));
  }
}

/**
 * An account's templates, ascending by id, in batches. Iteration throws AppError not_found for none, an unknown account, or
 * one that requires its own token (reference/authentication#open-routes).
 */
export class ListAccountTemplatesQuery extends Query<AsyncIterable<TemplateAnswer[]>> {
  /** @param viewerId the account of the request's token; null = no token */
  constructor(
    readonly username: string,
    readonly viewerId: number | null,
  ) {
    super();
  }
}

@QueryHandler(ListAccountTemplatesQuery)
export class ListAccountTemplatesHandler implements IQueryHandler<ListAccountTemplatesQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly library: TemplateLibrary,
  ) {}

  async execute({ username, viewerId }: ListAccountTemplatesQuery): Promise<AsyncIterable<TemplateAnswer[]>> {
    const account = await this.accounts.byUsername(username);
    const isClosed = account !== null && (isClosedToOthers(account) || this.environment.PROTECT_REPORTS);
    if (!account || (isClosed && viewerId !== account.id)) throw templateErrors.noneForUsername();
    return this.records(account);
  }

  private async *records(account: Account): AsyncGenerator<TemplateAnswer[], void, undefined> {
    let found = false;
    for await (const rows of this.library.rowsOfAccount(account.id)) {
      found ||= rows.length > 0;
      yield rows.map((row) => storedTemplateAnswer(row, account));
    }
    if (!found) throw templateErrors.noneForUsername();
  }
}

export type ReviewPage = Omit<Listed<never>, 'items'> & { items: AsyncIterable<ReviewedTemplate[]> };

/** Templates of all accounts, newest first, or one of them, in batches of bounded size. */
export class ReviewTemplatesQuery extends Query<ReviewPage> {
  // `wanted` null = every status
  constructor(
    readonly wanted: { status: TemplateStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ReviewTemplatesQuery)
export class ReviewTemplatesHandler implements IQueryHandler<ReviewTemplatesQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(TemplateControllerEntity) private readonly controllers: Repository<TemplateControllerEntity>,
    private readonly library: TemplateLibrary,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ wanted, page, timeZone }: ReviewTemplatesQuery): Promise<ReviewPage> {
    const [[column, value] = []] = Object.entries(wanted ?? {});
    const range = column === undefined ? { where: '', values: [] } : { where: `${column} = ?`, values: [value] };
    const index = column === 'status' ? 'ix_templates_status' : 'PRIMARY';
    const list = { table: 'templates', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    return { ...ids, items: this.views(ids.items, timeZone) };
  }

  private async *views(ids: number[], timeZone: string): AsyncGenerator<ReviewedTemplate[], void, undefined> {
    for await (const rows of this.library.rows(ids)) {
      const controllers = await this.controllers.findBy({ templateId: In(rows.map(({ id }) => id)) });
      const byTemplate = new Map(controllers.map((controller) => [controller.templateId, controller]));
      yield await Promise.all(rows.map((row) => this.view(row, byTemplate.get(row.id), timeZone)));
    }
  }

  private async view(
    row: TemplateEntity,
    controller: TemplateControllerEntity | undefined,
    timeZone: string,
  ): Promise<ReviewedTemplate> {
    const account = await this.accounts.byId(row.accountId);
    return {
      ...storedTemplateAnswer(row, { username: account?.username ?? '', timeZone }),
      language_code: languageOf(row.languageId, row.languageCode).code,
      header_text: row.headerText,
      header_example_url: row.headerExampleUrl,
      body_examples: JSON.parse(row.bodyExamples) as string[],
      ...buttonsAndCategory(row, timeZone),
      reason: row.reason,
      revision: row.revision,
      template_controller_id: controller?.id ?? 0,
      controller_type: controller?.type ?? '',
      controller_status: controller?.controllerStatus ?? '',
      upstream_id: row.upstreamId,
    };
  }
}
