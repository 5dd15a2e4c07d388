import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { TemplateLibrary } from '../persistence/template-library.js';
import { templateErrors } from '../templates.errors.js';
import { ListAccountTemplatesQuery, type TemplateRecord } from './list-account-templates.query.js';
import { templateRecord } from './template-record.js';

@QueryHandler(ListAccountTemplatesQuery)
export class ListAccountTemplatesHandler implements IQueryHandler<ListAccountTemplatesQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly library: TemplateLibrary,
  ) {}

  async execute({ username, viewerId }: ListAccountTemplatesQuery): Promise<TemplateRecord[]> {
    const account = await this.accounts.byUsername(username);
    const isClosed = account !== null && (account.requireToken || this.environment.PROTECT_REPORTS);
    if (!account || (isClosed && viewerId !== account.id)) throw templateErrors.noneForUsername();
    const templates = await this.library.ofAccount(account.id);
    if (templates.length === 0) throw templateErrors.noneForUsername();
    return templates.map((template) => templateRecord(template, account));
  }
}
