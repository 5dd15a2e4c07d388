import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { textOrNull } from '../../../kernel/text.js';
import { paged, type Paged, PageOf, readPage } from '../../../platform/http/index.js';
import { type Actor, Admin, type AuditEntryView, CurrentActor, ListAuditQuery } from '../../accounts/index.js';

class AuditEntryAnswer implements AuditEntryView {
  @ApiProperty({ example: 3 })
  id!: number;

  @ApiProperty({ example: 'admin', description: '`system` for the service itself' })
  actor!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The assigned user who acted for the actor',
  })
  assigned_user!: string | null;

  @ApiProperty({ example: 'credits.grant' })
  action!: string;

  @ApiProperty({ example: 'jane.doe' })
  subject!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { balance: 'gsm_credits', amount: 500 } })
  details!: Record<string, unknown>;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;
}

class AuditPageAnswer extends PageOf(AuditEntryAnswer) {}

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
  ): Promise<Paged<AuditEntryView>> {
    const page = readPage(query);
    const list = new ListAuditQuery(textOrNull(query['actor']), account.timeZone, page.page, page.limit);
    const { entries, total } = await this.queries.execute(list);
    return paged(entries, page, total);
  }
}
