import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { type DocumentedError, fieldErrors } from '../../kernel/errors.js';
import { readText } from '../../kernel/text.js';
import { ApiErrors, MOST_PER_SECOND } from '../../platform/http/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { ACCOUNT_ERRORS } from '../managed-accounts/index.js';
import {
  CHAT_CONNECTIONS,
  CHAT_PROVIDERS,
  chatAccountErrors,
  type ChatConnection,
  readChatConnection,
} from '../providers/index.js';
import { type ChatAccountChanges, PutChatAccountCommand, RemoveChatAccountCommand } from './chat-accounts.commands.js';
import {
  ChatAccountAnswer,
  type ChatAccountAnswerData,
  PutChatAccountRequest,
  RemovedChatAccountAnswer,
  SavedChatAccountAnswer,
} from './chat-accounts.dto.js';
import { FindChatAccountQuery } from './chat-accounts.queries.js';
import { connectionErrors } from './routes.errors.js';

const PUT_CHAT_ACCOUNT_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noWord.shown('provider', CHAT_PROVIDERS).because('another word'),
  fieldErrors.invalid
    .shown('token')
    .because('likewise every other field: no text, too long, or characters that no header carries'),
  fieldErrors.noWholeNumber.shown('messages_per_second', 1, MOST_PER_SECOND).because('something else; null = no limit'),
  connectionErrors.providerRequired,
  connectionErrors.urlWithAddress,
  connectionErrors.tokenWithAddress,
  connectionErrors.closedAddress,
];

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
