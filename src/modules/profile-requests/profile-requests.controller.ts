import { Body, Controller, Delete, Get, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { readId } from '../../kernel/ids.js';
import { readText } from '../../kernel/text.js';
import { ApiErrors, clientIp, ErrorShape, ExactAnswer } from '../../platform/http/index.js';
import { tooMany } from '../../platform/security/index.js';
import { type Actor, Authenticated, CurrentActor, Needs, Open, OpenMisses } from '../accounts/index.js';
import { type RawProfile, readProfile } from './profile-request.js';
import {
  ChangeProfileRequestCommand,
  CreateProfileRequestCommand,
  RemoveProfileRequestCommand,
} from './profile-requests.commands.js';
import {
  CreatedProfileRequestAnswer,
  DuplicateProfileRequestAnswer,
  ProfileBody,
  ProfileChangesBody,
  ProfileMessageAnswer,
  profileRequestData,
  ProfileRequestDetailAnswer,
  ProfileRequestsAnswer,
  PublicProfileRequestsAnswer,
} from './profile-requests.dto.js';
import {
  alreadyText,
  CHANGE_ERRORS,
  CREATE_ERRORS,
  prefixOf,
  profileErrors,
  profileFaults,
} from './profile-requests.errors.js';
import {
  GetProfileRequestQuery,
  ListProfileRequestsQuery,
  LookUpProfileRequestsQuery,
} from './profile-requests.queries.js';

/** An account's profile requests (reference/profile-requests#read). */
@ApiTags('Profile requests')
@Authenticated()
@ExactAnswer()
@Controller('v6/api/account/profile-request')
export class ProfileRequestsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'All profile requests of the account, newest first' })
  @ApiOkResponse({ type: ProfileRequestsAnswer })
  async list(@CurrentActor() { account }: Actor): Promise<ProfileRequestsAnswer> {
    const data = await this.queries.execute(new ListProfileRequestsQuery(account));
    return { message: 'Profile requests fetched successfully', data };
  }

  @Post()
  @Needs('manage')
  @ApiOperation({
    summary: 'Ask for a display name to be verified',
    description: 'While an identical request is pending, that one is the answer (200, `duplicate: true`).',
  })
  @ApiBody({ type: ProfileBody })
  @ApiCreatedResponse({ type: CreatedProfileRequestAnswer })
  @ApiOkResponse({ description: 'An identical request is pending.', type: DuplicateProfileRequestAnswer })
  @ApiErrors(...CREATE_ERRORS)
  async create(
    @Body() body: RawProfile,
    @CurrentActor() { account }: Actor,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedProfileRequestAnswer | DuplicateProfileRequestAnswer> {
    const read = readProfile(body);
    if ('fault' in read) throw profileFaults[read.fault]();
    const { request, duplicate } = await this.commands.execute(new CreateProfileRequestCommand(account, read.content));
    const data = profileRequestData(request, account.username);
    if (!duplicate) return { message: `${prefixOf(data.channel)}Chat profile request created successfully`, data };
    response.status(200);
    return { message: alreadyText(data.channel), data, duplicate };
  }

  @Get(':id')
  @ApiParam({ name: 'id', type: Number, example: 12 })
  @ApiOperation({ summary: 'One profile request', description: 'With the reason that staff gave for their decision.' })
  @ApiOkResponse({ type: ProfileRequestDetailAnswer })
  @ApiErrors(profileErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<ProfileRequestDetailAnswer> {
    const data = await this.queries.execute(new GetProfileRequestQuery(account, requestId(id)));
    return { message: 'Profile request fetched successfully', data };
  }

  @Put(':id')
  @Needs('manage')
  @ApiParam({ name: 'id', type: Number, example: 12 })
  @ApiOperation({ summary: 'Change a pending profile request', description: 'Only supplied fields change.' })
  @ApiBody({ type: ProfileChangesBody })
  @ApiOkResponse({ type: ProfileMessageAnswer })
  @ApiErrors(...CHANGE_ERRORS)
  async change(
    @Param('id') id: string,
    @Body() body: RawProfile,
    @CurrentActor() { account }: Actor,
  ): Promise<ProfileMessageAnswer> {
    await this.commands.execute(new ChangeProfileRequestCommand(account, requestId(id), body));
    return { message: 'Profile request updated successfully' };
  }

  @Delete(':id')
  @Needs('manage')
  @ApiParam({ name: 'id', type: Number, example: 12 })
  @ApiOperation({ summary: 'Take a pending profile request back' })
  @ApiOkResponse({ type: ProfileMessageAnswer })
  @ApiErrors(profileErrors.notFound, profileErrors.notDeletable)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<ProfileMessageAnswer> {
    await this.commands.execute(new RemoveProfileRequestCommand(account, requestId(id)));
    return { message: 'Profile request deleted successfully' };
  }
}

function requestId(text: string): number {
  const id = readId(text);
  if (id === null) throw profileErrors.notFound();
  return id;
}

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
