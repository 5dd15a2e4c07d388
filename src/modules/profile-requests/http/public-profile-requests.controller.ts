import { Controller, Get, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { readText } from '../../../kernel/text.js';
import { ApiErrors, clientIp, ErrorShape } from '../../../platform/http/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { Open, OpenMisses } from '../../accounts/index.js';
import { profileErrors } from '../profile-requests.errors.js';
import { LookUpProfileRequestsQuery } from '../queries/look-up-profile-requests.query.js';
import { PublicProfileRequestsAnswer } from './profile-request.dto.js';

/** Branded requests of a parent's clients, open to all (reference/profile-requests#public-look-up). */
@ApiTags('Profile requests')
@ErrorShape('public')
@Controller('v6/api/public/profile-request')
export class PublicProfileRequestsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly misses: OpenMisses,
  ) {}

  @Get()
  @Open('the public look-up; an account may close it')
  @ApiOperation({
    summary: 'Branded profile requests of the clients of an account, newest first',
    description: 'Accounts whose `public_lookup` is off are left out, as parent and as client.',
  })
  @ApiQuery({ name: 'parent_username', example: 'acme.reseller' })
  @ApiQuery({
    name: 'verified_name',
    required: false,
    example: 'ac',
    description: 'Start of the username or of the display name, in any case',
  })
  @ApiOkResponse({ type: PublicProfileRequestsAnswer })
  @ApiErrors(
    tooMany.because('more than 60 misses in a minute from one address'),
    profileErrors.parentRequired,
    profileErrors.prefixInvalid,
  )
  async lookUp(
    @Query('parent_username') parentUsername: unknown,
    @Query('verified_name') verifiedName: unknown,
    @Req() request: Request,
  ): Promise<PublicProfileRequestsAnswer> {
    const ip = clientIp(request);
    await this.misses.refuseBlocked(ip);
    const parent = readText(parentUsername);
    if (parent.kind !== 'text') throw profileErrors.parentRequired();
    const prefix = readText(verifiedName);
    if (prefix.kind === 'fault') throw profileErrors.prefixInvalid();
    const wanted = prefix.kind === 'text' ? prefix.value : '';
    const data = await this.queries.execute(new LookUpProfileRequestsQuery(parent.value, wanted));
    if (data.length === 0) await this.misses.count(ip);
    return { message: 'Profile requests fetched successfully', data };
  }
}
