import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Admin, CountOpenAccountsQuery } from '../../accounts/index.js';
import { OpenAccountsAnswer } from './account.dto.js';

/** How much of the installation can be spent without a token (reference/admin#open-accounts). */
@ApiTags('Admin: accounts')
@Admin()
@Controller('v6/api/admin/open-accounts')
export class OpenAccountsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Count the accounts to which a username alone sends' })
  @ApiOkResponse({ type: OpenAccountsAnswer })
  async count(): Promise<OpenAccountsAnswer> {
    return { success: true, data: await this.queries.execute(new CountOpenAccountsQuery()) };
  }
}
