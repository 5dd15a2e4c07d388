import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AnswerOf } from '../../../platform/http/index.js';
import { Admin, CountOpenAccountsQuery } from '../../accounts/index.js';

/** Accounts to which a username alone sends. */
class OpenAccountsData {
  @ApiProperty({ example: 12, description: 'Accounts in use to which a username alone sends, from any address' })
  accounts!: number;

  @ApiProperty({ example: 9, description: 'Those of them whose owner has not chosen yet' })
  undecided!: number;
}

class OpenAccountsAnswer extends AnswerOf(OpenAccountsData) {}

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
