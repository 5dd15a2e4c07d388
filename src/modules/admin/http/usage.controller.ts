import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../../platform/http/index.js';
import { accountErrors, type Actor, Admin, CurrentActor, FindAccountQuery } from '../../accounts/index.js';
import {
  GetUsageQuery,
  readUsage,
  STAFF_USAGE_GROUPS,
  USAGE_CSV,
  USAGE_ERRORS,
  usageCsv,
  UsagePageAnswer,
  UsageRoute,
  wantsCsv,
} from '../../credits/index.js';

const USAGE = { name: 'usage of accounts', places: 'texts' } as const;

/** What accounts were charged and got back, for staff of the house. */
@ApiTags('Admin: usage')
@Admin()
@Controller('v6/api/admin/usage')
export class UsageController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'What was charged and refunded, of one account or all' })
  @ApiQuery({
    name: 'account',
    required: false,
    example: 'jane.doe',
    description: 'All accounts, where it is not given',
  })
  @ListQuery()
  @UsageRoute(STAFF_USAGE_GROUPS, UsagePageAnswer)
  @ApiErrors(
    ...USAGE_ERRORS,
    fieldErrors.required.shown('account').because('by campaign, and none is named'),
    accountErrors.notFound,
    ...LIST_ERRORS,
  )
  async usage(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account: actor }: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsagePageAnswer | string> {
    const selection = readUsage(query, STAFF_USAGE_GROUPS);
    const isFile = wantsCsv(query, (types) => request.accepts(types));
    const username = textOrNull(query['account']);
    if (username === null && selection.group === 'campaign') throw fieldErrors.required('account');
    const found = username === null ? null : await this.queries.execute(new FindAccountQuery(actor, username));
    const page = isFile ? null : readListPage(USAGE, query);
    const listed = await this.queries.execute(new GetUsageQuery(found?.id ?? null, selection, page));
    if (page) return { ...paged(USAGE, page, listed), ...selection };
    response.setHeader('Content-Type', USAGE_CSV);
    return usageCsv(selection, listed.items);
  }
}
