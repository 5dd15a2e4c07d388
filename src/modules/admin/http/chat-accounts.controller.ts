import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { readText } from '../../../kernel/text.js';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../../accounts/index.js';
import { CHAT_CONNECTIONS, chatAccountErrors, type ChatConnection, readChatConnection } from '../../providers/index.js';
import { connectionErrors } from '../admin.errors.js';
import { type ChatAccountChanges, PutChatAccountCommand } from '../commands/put-chat-account.command.js';
import { RemoveChatAccountCommand } from '../commands/remove-chat-account.command.js';
import { FindChatAccountQuery } from '../queries/find-chat-account.query.js';
import { ACCOUNT_ERRORS } from './account.errors.js';
import {
  ChatAccountAnswer,
  type ChatAccountAnswerData,
  PutChatAccountRequest,
  RemovedChatAccountAnswer,
  SavedChatAccountAnswer,
} from './chat-account.dto.js';
import { PUT_CHAT_ACCOUNT_ERRORS } from './chat-account.errors.js';

/** The customers' connections to the chat upstream. */
@ApiTags('Admin: chat accounts')
@Admin()
@ApiErrors(...ACCOUNT_ERRORS, chatAccountErrors.channel)
@ApiParam({ name: 'username', example: 'jane.doe' })
@ApiQuery({ name: 'channel', required: false, enum: [...CHAT_CONNECTIONS], description: 'default official' })
@Controller('v6/api/admin/chat-accounts/:username')
export class ChatAccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Show a chat account; secrets are never returned' })
  @ApiOkResponse({ type: ChatAccountAnswer })
  @ApiErrors(connectionErrors.notFound)
  async show(
    @Param('username') username: string,
    @Query('channel') channel: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<ChatAccountAnswer> {
    return { success: true, data: await this.find(account, username, readChatConnection(channel)) };
  }

  @Put()
  @ApiOperation({
    summary: 'Create or change a chat account',
    description:
      'One for each `channel` (in the body or the query). An absent field keeps what stands, null clears it; the token stays only while the host, port and version of `url` do. For 24 hours after a change the `app_secret` and the `verify_token` before it are taken too, unless they were cleared first. Enter `callback_url` and `verify_token` at the provider.',
  })
  @ApiOkResponse({ type: SavedChatAccountAnswer })
  @ApiErrors(...PUT_CHAT_ACCOUNT_ERRORS)
  async put(
    @Param('username') username: string,
    @Query('channel') channel: unknown,
    @Body() body: PutChatAccountRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedChatAccountAnswer> {
    const connection = readChatConnection(body.channel ?? channel);
    await this.commands.execute(new PutChatAccountCommand(account, username, connection, changesOf(body)));
    const data = await this.find(account, username, connection);
    return { success: true, message: 'Chat account saved successfully', data };
  }

  @Delete()
  @ApiOperation({ summary: 'Remove a chat account' })
  @ApiOkResponse({ type: RemovedChatAccountAnswer })
  @ApiErrors(connectionErrors.notFound, connectionErrors.inUse)
  async remove(
    @Param('username') username: string,
    @Query('channel') channel: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<RemovedChatAccountAnswer> {
    await this.commands.execute(new RemoveChatAccountCommand(account, username, readChatConnection(channel)));
    return { success: true, message: 'Chat account deleted successfully' };
  }

  private find(account: Account, username: string, connection: ChatConnection): Promise<ChatAccountAnswerData> {
    return this.queries.execute(new FindChatAccountQuery(account, username, connection));
  }
}

/** Absent stays undefined; null and empty texts clear. */
function changesOf(body: PutChatAccountRequest): ChatAccountChanges {
  const text = (value: unknown): string | null | undefined => {
    const read = readText(value);
    if (value === undefined) return undefined;
    return read.kind === 'text' ? read.value.trim() : null;
  };
  return {
    provider: body.provider || undefined,
    number: text(body.number),
    url: text(body.url),
    token: text(body.token),
    appId: text(body.app_id),
    appSecret: text(body.app_secret),
    verifyToken: text(body.verify_token),
    bmid: text(body.bmid),
    wabaId: text(body.waba_id),
    messagesPerSecond: body.messages_per_second,
  };
}
