import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../../platform/http/index.js';
import {
  type Actor,
  Admin,
  type SecurityEntryAnswer,
  SecurityPageAnswer,
  CurrentActor,
  ListSecurityLogQuery,
} from '../../accounts/index.js';

const SECURITY_LOG = { name: 'security-log', places: 'ids' } as const;

/** Who logged in or failed to, from where. */
@ApiTags('Admin: audit')
@Admin()
@Controller('v6/api/admin/security-log')
export class SecurityLogController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Logins, good and bad, newest first',
    description: 'Those with a password, of `sms_get.php` the failed ones. Kept for 90 days, a second behind.',
  })
  @ApiQuery({ name: 'username', required: false })
  @ApiQuery({ name: 'ip', required: false, example: '203.0.113.7' })
  @ListQuery()
  @ApiOkResponse({ type: SecurityPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SecurityEntryAnswer>> {
    const page = readListPage(SECURITY_LOG, query);
    const [username, ip] = [textOrNull(query['username']), textOrNull(query['ip'])];
    const list = new ListSecurityLogQuery(username, ip, account.timeZone, page);
    return paged(SECURITY_LOG, page, await this.queries.execute(list));
  }
}
