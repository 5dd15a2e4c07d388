import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/index.js';
import { type Actor, Admin, Authenticated, CurrentActor } from '../accounts/index.js';
import { Q, readSearched, SEARCH_ERRORS, SearchResponse } from './search.dto.js';
import { SearchQuery } from './search.queries.js';

/** Searches an account's own things; a reseller finds its clients too. */
@ApiTags('Search')
@Authenticated()
@Controller('v6/api/search')
export class OwnSearchController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Find a number, a campaign or a template of yours',
    description:
      'Five of a kind at the most. A number: the newest of the last 30 days, recipients and session messages. Resellers find their clients too.',
  })
  @ApiQuery(Q)
  @ApiOkResponse({ type: SearchResponse })
  @ApiErrors(...SEARCH_ERRORS)
  async search(@CurrentActor() { account }: Actor, @Query('q') q: unknown): Promise<SearchResponse> {
    return { success: true, ...(await this.queries.execute(new SearchQuery(account, 'own', readSearched(q)))) };
  }
}

/** Searches the things of all accounts. */
@ApiTags('Admin: search')
@Admin()
@Controller('v6/api/admin/search')
export class StaffSearchController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Find a number, a campaign, an account or a template',
    description:
      'Five of a kind at the most. A number: the newest of the last 30 days, recipients and session messages.',
  })
  @ApiQuery(Q)
  @ApiOkResponse({ type: SearchResponse })
  @ApiErrors(...SEARCH_ERRORS)
  async search(@CurrentActor() { account }: Actor, @Query('q') q: unknown): Promise<SearchResponse> {
    return { success: true, ...(await this.queries.execute(new SearchQuery(account, 'all', readSearched(q)))) };
  }
}
