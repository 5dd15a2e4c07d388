import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { textOrNull } from '../../../kernel/text.js';
import { paged, type Paged, readPage } from '../../../platform/http/index.js';
import {
  type Actor,
  Admin,
  type AuditEntryAnswer,
  AuditPageAnswer,
  CurrentActor,
  ListAuditQuery,
} from '../../accounts/index.js';

/** Who did what when. */
@ApiTags('Admin: audit')
@Admin()
@Controller('v6/api/admin/audit')
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'The audit log, newest first' })
  @ApiQuery({ name: 'actor', required: false, description: 'Username of who did it' })
  @ApiQuery({ name: 'page', required: false, example: 1 })
  @ApiQuery({ name: 'limit', required: false, example: 50 })
  @ApiOkResponse({ type: AuditPageAnswer })
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<AuditEntryAnswer>> {
    const page = readPage(query);
    const list = new ListAuditQuery(textOrNull(query['actor']), account.timeZone, page.page, page.limit);
    const { entries, total } = await this.queries.execute(list);
    return paged(entries, page, total);
  }
}
