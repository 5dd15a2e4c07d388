import { Body, Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import {
  ApiErrors,
  DoneAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
} from '../../../platform/http/index.js';
import { proofOf } from '../authentication/credentials.js';
import { type Actor, Authenticated, Confirmed, CurrentActor, Needs } from '../authentication/decorators.js';
import { accountErrors } from '../domain/account.errors.js';
import { CREATE_API_KEY_ERRORS } from '../self-service.errors.js';
import { ListApiKeysQuery, ListMadeThingsQuery } from './access.queries.js';
import { CreateApiKeyCommand, RevokeApiKeyCommand } from './api-keys.commands.js';
import { type ApiKeyAnswerData, ApiKeyPageAnswer, CreateApiKeyRequest, CreatedApiKeyAnswer } from './api-keys.dto.js';
import { MadeThingsAnswer, readRevoke, RevokeQuery } from './made-things.dto.js';

const KEYS = { name: 'api-keys', positions: 'ids' } as const;

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Needs('account')
@Controller('v6/api/account/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Confirmed()
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'The key stands in this answer only. Send it as `X-API-Key`, or as `password` of `sms_get.php`. An account of staff gives `current_password`. What a test key sends never leaves and costs nothing.',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyAnswer })
  @ApiErrors(...CREATE_API_KEY_ERRORS)
  async create(
    @Body() body: CreateApiKeyRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<CreatedApiKeyAnswer> {
    const proof = proofOf(body, request);
    const wish = {
      name: textOrNull(body.name),
      mode: textOrNull(body.mode),
      allowedIps: body.allowed_ips ?? [],
      scopes: body.scopes ?? null,
      expiresAt: body.expires_at ?? null,
      maxPerDay: body.max_per_day ?? null,
    };
    const command = new CreateApiKeyCommand(account, wish, proof);
    return { success: true, message: 'API key created successfully', data: await this.commands.execute(command) };
  }

  @Get()
  @ApiOperation({ summary: 'List API keys, newest first', description: 'The keys themselves are not shown again.' })
  @ListQuery()
  @ApiOkResponse({ type: ApiKeyPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<ApiKeyAnswerData>> {
    const page = readListPage(KEYS, query);
    return paged(KEYS, page, await this.queries.execute(new ListApiKeysQuery(account, page)));
  }

  @Get(':id/created')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({
    summary: 'What an API key made that goes on by itself',
    description: 'Webhooks. `DELETE …?revoke=true` disables them with the key.',
  })
  @ApiOkResponse({ type: MadeThingsAnswer })
  @ApiErrors(accountErrors.apiKeyNotFound)
  async created(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<MadeThingsAnswer> {
    const data = await this.queries.execute(new ListMadeThingsQuery(account, 'key', keyId(id)));
    return { success: true, data };
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({
    summary: 'Revoke an API key',
    description: 'Effective on every instance in 3 s. What the key made stays, unless `revoke` says otherwise.',
  })
  @RevokeQuery()
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.apiKeyNotFound)
  async revoke(
    @Param('id') text: string,
    @Query('revoke') revoke: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new RevokeApiKeyCommand(account, keyId(text), readRevoke(revoke)));
    return { success: true, message: 'API key revoked successfully' };
  }
}

function keyId(text: string): number {
  const id = readId(text);
  if (id === null) throw accountErrors.apiKeyNotFound();
  return id;
}
