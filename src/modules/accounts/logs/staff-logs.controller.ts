import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../authentication/decorators.js';
import { type AuditEntryAnswer, AuditPageAnswer, type SecurityEntryAnswer, SecurityPageAnswer } from './logs.dto.js';
import { ListAuditQuery, ListSecurityLogQuery } from './logs.queries.js';

const AUDIT = { name: 'audit', positions: 'ids' } as const;

@ApiTags('Admin: audit')
@Admin()
@Controller('v6/api/admin/audit')
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'The audit log, newest first' })
  @ApiQuery({ name: 'actor', required: false, description: 'Username of who did it' })
  @ListQuery()
  @ApiOkResponse({ type: AuditPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<AuditEntryAnswer>> {
    const page = readListPage(AUDIT, query);
    const list = new ListAuditQuery(textOrNull(query['actor']), account.timeZone, page);
    return paged(AUDIT, page, await this.queries.execute(list));
  }
}

const SECURITY_LOG = { name: 'security-log', positions: 'ids' } as const;

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
