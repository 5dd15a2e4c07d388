import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../../platform/http/index.js';
import {
  type Actor,
  Admin,
  type AuditEntryAnswer,
  AuditPageAnswer,
  CurrentActor,
  ListAuditQuery,
} from '../../accounts/index.js';

const AUDIT = { name: 'audit', places: 'ids' } as const;

/** Who did what when. */
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
