import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../../platform/http/index.js';
import {
  GetUsageQuery,
  readUsage,
  USAGE_CSV,
  USAGE_ERRORS,
  USAGE_GROUPS,
  usageCsv,
  UsageRoute,
  wantsCsv,
} from '../../credits/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { GetStorageQuery } from '../queries/get-storage.query.js';
import { OwnUsagePageAnswer } from './own-usage.dto.js';

const USAGE = { name: 'usage', places: 'texts' } as const;

/** What the acting account was charged and got back, and what it stores. */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/usage')
export class OwnUsageController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'What was charged and refunded, by day, channel, country, campaign or sender',
    description:
      'Equal to the ledger to the credit; a group has one row for each balance that paid. `storage` tells what the account stores.',
  })
  @ListQuery()
  @UsageRoute(USAGE_GROUPS, OwnUsagePageAnswer)
  @ApiErrors(...USAGE_ERRORS, ...LIST_ERRORS)
  async usage(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnUsagePageAnswer | string> {
    const selection = readUsage(query, USAGE_GROUPS);
    if (wantsCsv(query, (types) => request.accepts(types))) {
      const { items } = await this.queries.execute(new GetUsageQuery(account.id, selection, null));
      response.setHeader('Content-Type', USAGE_CSV);
      return usageCsv(selection, items);
    }
    const page = readListPage(USAGE, query);
    const listed = await this.queries.execute(new GetUsageQuery(account.id, selection, page));
    const storage = await this.queries.execute(new GetStorageQuery(account.id));
    return { ...paged(USAGE, page, listed), ...selection, storage };
  }
}
