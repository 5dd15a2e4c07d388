import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { type ChatNoticeData, ChatNoticeCountsAnswer, ChatNoticePageAnswer } from './chat-accounts.dto.js';
import { CountChatNoticesQuery, ListChatNoticesQuery } from './chat-notices.queries.js';

const NOTICES = { name: 'chat-notices', positions: 'ids' } as const;

/** What the chat provider reports and the service does not act on (reference/providers#notices). */
@ApiTags('Admin: chat accounts')
@Admin()
@Controller('v6/api/admin/chat-notices')
export class ChatNoticesController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Notices of the chat provider, newest first',
    description: 'Quality, limits, reviews of the account, calls and whatever else the service does not act on.',
  })
  @ApiQuery({ name: 'kind', required: false, example: 'phone_number_quality_update' })
  @ListQuery()
  @ApiOkResponse({ type: ChatNoticePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<ChatNoticeData>> {
    const { kind } = query;
    // The column takes ASCII only; no notice has another kind.
    const wanted = typeof kind === 'string' && kind !== '' ? kind.replace(/[^\x20-\x7e]/g, '?') : null;
    const page = readListPage(NOTICES, query);
    return paged(NOTICES, page, await this.queries.execute(new ListChatNoticesQuery(account, wanted, page)));
  }

  @Get('counts')
  @ApiOperation({ summary: 'How many notices of each kind came' })
  @ApiOkResponse({ type: ChatNoticeCountsAnswer })
  async counts(@CurrentActor() { account }: Actor): Promise<ChatNoticeCountsAnswer> {
    return { success: true, data: await this.queries.execute(new CountChatNoticesQuery(account)) };
  }
}
