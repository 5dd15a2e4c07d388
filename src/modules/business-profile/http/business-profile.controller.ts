import { Body, Controller, Get, HttpCode, Post, Put, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, ExactAnswer } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { readChatConnection } from '../../providers/index.js';
import { PHOTO_ERRORS, PROFILE_ERRORS, UPDATE_ERRORS } from '../business-profile.errors.js';
import { ChangeProfilePhotoCommand } from '../commands/change-profile-photo.command.js';
import { UpdateBusinessProfileCommand } from '../commands/update-business-profile.command.js';
import { GetBusinessProfileQuery } from '../queries/get-business-profile.query.js';
import {
  BusinessProfileAnswer,
  CHANNELS,
  PhotoAnswer,
  PhotoBody,
  PROFILE_EXAMPLES,
  UpdateBusinessProfileBody,
} from './business-profile.dto.js';
import { TakesPhoto, uploadedFile } from './photo-upload.js';

/** The live business profile of a connected chat account (reference/business-profile#routes). */
@ApiTags('Business profile')
@Authenticated()
@ExactAnswer()
@Controller('v6/api/account/business-profile')
export class BusinessProfileController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Read the business profile', description: 'As the provider has it at this moment.' })
  @ApiQuery({ name: 'channel', required: false, enum: CHANNELS, description: 'Which connection; default official.' })
  @ApiOkResponse({ description: 'The profile; what it does not say is empty.', type: BusinessProfileAnswer })
  @ApiErrors(...PROFILE_ERRORS)
  async read(@CurrentActor() actor: Actor, @Query('channel') channel: unknown): Promise<BusinessProfileAnswer> {
    const query = new GetBusinessProfileQuery(actor.account.id, readChatConnection(channel));
    return { message: 'Business profile fetched successfully', data: await this.queries.execute(query) };
  }

  @Put()
  @ApiOperation({
    summary: 'Change the business profile',
    description: 'Only supplied fields are changed; an empty one is cleared. Answers the profile after the change.',
  })
  @ApiBody({ type: UpdateBusinessProfileBody, examples: PROFILE_EXAMPLES })
  @ApiOkResponse({ description: 'Changed at the provider.', type: BusinessProfileAnswer })
  @ApiErrors(...UPDATE_ERRORS)
  async update(@CurrentActor() actor: Actor, @Body() body: Record<string, unknown>): Promise<BusinessProfileAnswer> {
    const command = new UpdateBusinessProfileCommand(actor.account, readChatConnection(body['channel']), body);
    return { message: 'Business profile updated successfully', data: await this.commands.execute(command) };
  }

  @Post('photo')
  @HttpCode(200)
  @TakesPhoto()
  @ApiOperation({
    summary: 'Replace the profile photo',
    description:
      'Runs as three steps at the provider; when one fails, its error is the answer and the request may be repeated.',
  })
  @ApiBody({ type: PhotoBody })
  @ApiOkResponse({ description: 'Replaced; `data` is what the provider answered.', type: PhotoAnswer })
  @ApiErrors(...PHOTO_ERRORS)
  async changePhoto(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() body: Record<string, unknown>,
  ): Promise<PhotoAnswer> {
    const connection = readChatConnection(body['channel']);
    const command = new ChangeProfilePhotoCommand(actor.account, connection, uploadedFile(request));
    return { message: 'Profile photo updated successfully', data: await this.commands.execute(command) };
  }
}
