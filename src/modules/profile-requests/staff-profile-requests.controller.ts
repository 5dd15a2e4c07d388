import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readId } from '../../kernel/ids.js';
import { ONE } from '../../kernel/lists.js';
import { readWord, textOrNull } from '../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  REVISION_ERRORS,
} from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { PROCESSING_STATUSES, PROFILE_STATUSES } from './profile-request.js';
import { ProcessProfileRequestCommand } from './profile-requests.commands.js';
import {
  ProcessedProfileRequestAnswer,
  ProcessProfileRequest,
  type ReviewedProfileRequestData,
  ReviewedProfileRequestPageAnswer,
} from './profile-requests.dto.js';
import { profileErrors } from './profile-requests.errors.js';
import { ReviewProfileRequestsQuery } from './profile-requests.queries.js';

const REQUESTS = { name: 'profile-requests', positions: 'ids' } as const;

/** Staff's decisions on profile requests (reference/admin#profile-requests). */
@ApiTags('Admin: profile requests')
@Admin()
@Controller('v6/api/admin/profile-requests')
export class ProfileRequestsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Profile requests of all accounts, newest first' })
  @ApiQuery({ name: 'status', required: false, enum: [...PROFILE_STATUSES], example: 'pending' })
  @ListQuery()
  @ApiOkResponse({ type: ReviewedProfileRequestPageAnswer })
  @ApiErrors(profileErrors.unknownStatus, ...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<ReviewedProfileRequestData>> {
    const status = readWord(query['status'], PROFILE_STATUSES, profileErrors.unknownStatus);
    const page = readListPage(REQUESTS, query);
    const list = new ReviewProfileRequestsQuery(status && { status }, account.timeZone, page);
    return paged(REQUESTS, page, await this.queries.execute(list));
  }

  @Patch(':id')
  @ApiParam({ name: 'id', type: Number, example: 12 })
  @ApiOperation({
    summary: 'Take a profile request up, complete or reject it',
    description: 'pending → processing → completed or rejected; `processing` may be skipped.',
  })
  @ApiOkResponse({ type: ProcessedProfileRequestAnswer })
  @ApiErrors(
    fieldErrors.noWord.shown('status', PROCESSING_STATUSES).because('another word'),
    fieldErrors.invalid.shown('reason').because('no text, or too long'),
    profileErrors.notFound.because('no such request'),
    profileErrors.wrongState,
    ...REVISION_ERRORS,
  )
  async process(
    @Param('id') idText: string,
    @Body() { status, revision, reason: given }: ProcessProfileRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<ProcessedProfileRequestAnswer> {
    const id = readId(idText);
    if (id === null) throw profileErrors.notFound();
    const reason = textOrNull(given);
    await this.commands.execute(new ProcessProfileRequestCommand(account, id, status, revision ?? null, reason));
    const { items } = await this.queries.execute(new ReviewProfileRequestsQuery({ id }, account.timeZone, ONE));
    const [data] = items;
    if (!data) throw profileErrors.notFound();
    return { success: true, data };
  }
}
