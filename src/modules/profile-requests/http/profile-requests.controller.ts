import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { readId } from '../../../kernel/ids.js';
import { ApiErrors, ExactAnswer } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { ChangeProfileRequestCommand } from '../commands/change-profile-request.command.js';
import { CreateProfileRequestCommand } from '../commands/create-profile-request.command.js';
import { RemoveProfileRequestCommand } from '../commands/remove-profile-request.command.js';
import { type RawProfile, readProfile } from '../domain/profile-request.js';
import {
  alreadyText,
  CHANGE_ERRORS,
  CREATE_ERRORS,
  prefixOf,
  profileErrors,
  profileFaults,
} from '../profile-requests.errors.js';
import { GetProfileRequestQuery } from '../queries/get-profile-request.query.js';
import { ListProfileRequestsQuery } from '../queries/list-profile-requests.query.js';
import {
  CreatedProfileRequestAnswer,
  DuplicateProfileRequestAnswer,
  ProfileBody,
  ProfileChangesBody,
  ProfileMessageAnswer,
  profileRequestData,
  ProfileRequestDetailAnswer,
  ProfileRequestsAnswer,
} from './profile-request.dto.js';

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
