import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { textOrNull } from '../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  NoHead,
  paged,
  type Paged,
  readListPage,
  streamText,
} from '../../platform/http/index.js';
import {
  accountErrors,
  type Actor,
  Authenticated,
  CurrentActor,
  FindManagedAccountQuery,
  Open,
  roleOf,
  TestKeys,
} from '../accounts/index.js';
import { campaignErrors, RANGE_ERRORS, readRangeEnd } from '../campaigns/index.js';
import {
  ProofAnswer,
  PublishedKeys,
  SettlementAnswer,
  type SettlementData,
  SettlementPageAnswer,
} from './settlements.dto.js';
import { settlementErrors } from './settlements.errors.js';
import {
  GetProofQuery,
  GetSettlementKeysQuery,
  GetSettlementQuery,
  ListSettlementsQuery,
  OpenBundleQuery,
} from './settlements.queries.js';

const REQUEST_ID = 'GSMCAMP_20261121_A1B2C3';
const BUNDLE_TYPE = 'application/x-ndjson';
const BUNDLE_EXAMPLE = `{"bundle":"switchboard-settlement-bundle/1","digest":"5f8f3c…","public_key":"…","signature":"…","statement":{…}}
[81,"debit","gsm_credits",-2,998,1795253400000]
["kQ2…",1,"delivered",null,1,1,0,"sms",1795253400000,1795253472500]
`;

const ISSUE_ERRORS = [settlementErrors.none, settlementErrors.notYet, settlementErrors.refused] as const;

/** The proof of what became of a campaign, and what it cost (reference/settlements#issue). */
@ApiTags('Settlements')
@ApiParam({ name: 'request_id', example: REQUEST_ID })
@Authenticated()
@TestKeys()
@Controller('v6/api/campaigns/:request_id')
export class CampaignSettlementController {
  constructor(private readonly queries: QueryBus) {}

  @Get('settlement')
  @NoHead()
  @ApiExtraModels(SettlementAnswer)
  @ApiOperation({
    summary: 'The signed settlement of a campaign',
    description:
      'Issued once, when every recipient has its final status. With `format=bundle`, or `Accept: application/x-ndjson`, as a file with its ledger entries and recipients (keyed hashes, no numbers), which can be checked without us (`packages/verify`). Resellers read those of their clients.',
  })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'bundle'] })
  @ApiOkResponse({
    description: 'The settlement.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(SettlementAnswer) } },
      [BUNDLE_TYPE]: { schema: { type: 'string' }, example: BUNDLE_EXAMPLE },
    },
  })
  @ApiErrors(campaignErrors.notFound, ...ISSUE_ERRORS)
  async settlement(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Query('format') format: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const wantsBundle = format === 'bundle' || request.headers.accept?.includes(BUNDLE_TYPE) === true;
    if (!wantsBundle) {
      const data = await this.queries.execute(new GetSettlementQuery(actor, requestId));
      response.json({ success: true, data } satisfies SettlementAnswer);
      return;
    }
    const { lines } = await this.queries.execute(new OpenBundleQuery(actor, requestId));
    const headers = { 'Content-Disposition': `attachment; filename="${requestId}.settlement.ndjson"` };
    await streamText(response, { contentType: BUNDLE_TYPE, headers, before: '', after: '' }, lines);
  }

  @Get('contacts/:seq/proof')
  @ApiParam({ name: 'seq', type: Number, example: 1 })
  @ApiOperation({
    summary: 'Prove one recipient',
    description: 'The leaf of the recipient, the key of its number, and about 20 hashes up to the signed root.',
  })
  @ApiOkResponse({ type: ProofAnswer })
  @ApiErrors(
    campaignErrors.notFound,
    campaignErrors.contactNotFound,
    ...ISSUE_ERRORS,
    settlementErrors.erased,
    settlementErrors.broken,
  )
  async proof(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Param('seq') seq: string,
  ): Promise<ProofAnswer> {
    return { success: true, data: await this.queries.execute(new GetProofQuery(actor, requestId, seq)) };
  }
}

const SETTLEMENTS = { name: 'settlements', positions: 'ids' } as const;

@ApiTags('Settlements')
@Authenticated()
@Controller('v6/api/settlements')
export class SettlementsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Your settlements, newest first: a chain, each naming the one before' })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01', description: 'issued then or later' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30', description: 'issued before its end' })
  @ApiQuery({ name: 'username', required: false, example: 'jane.doe', description: 'resellers: one of their clients' })
  @ListQuery()
  @ApiOkResponse({ type: SettlementPageAnswer })
  @ApiErrors(
    accountErrors.permissionDenied.because(
      '`username` of another account, by neither its reseller nor staff; or a key',
    ),
    accountErrors.notFound,
    ...RANGE_ERRORS,
    ...LIST_ERRORS,
  )
  async list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Paged<SettlementData>> {
    const { account } = actor;
    const username = textOrNull(query['username']);
    const of = username === null || username === account.username ? account : await this.managed(actor, username);
    const page = readListPage(SETTLEMENTS, query);
    const from = readRangeEnd(query, 'from', account.timeZone) ?? null;
    const to = readRangeEnd(query, 'to', account.timeZone) ?? null;
    return paged(SETTLEMENTS, page, await this.queries.execute(new ListSettlementsQuery(of.id, from, to, page)));
  }

  private managed({ account, via }: Actor, username: string): Promise<{ id: number }> {
    // of an owner the query asks no more, since routes of staff do
    if (via === 'key' || roleOf(account.userType) === 'user') throw accountErrors.permissionDenied();
    return this.queries.execute(new FindManagedAccountQuery(account, username, 'see'));
  }
}

/** What a check of a settlement needs. */
@ApiTags('Settlements')
@Open('public keys')
@Controller('.well-known/switchboard-settlement-keys')
export class SettlementKeysController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'The public keys of settlements, those of earlier ones too' })
  @ApiOkResponse({ type: PublishedKeys })
  keys(): Promise<PublishedKeys> {
    return this.queries.execute(new GetSettlementKeysQuery());
  }
}
