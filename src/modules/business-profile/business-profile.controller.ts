import type { Readable } from 'node:stream';
import {
  applyDecorators,
  Body,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Inject,
  Injectable,
  type NestInterceptor,
  Post,
  Put,
  Query,
  Req,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AnyFilesInterceptor } from '@nestjs/platform-express';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { AppError } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import {
  ApiErrors,
  ApiErrorsOf,
  Bodies,
  bodyErrors,
  brokenOff,
  ExactAnswer,
  type Holding,
  inPace,
  KNOWN_PACE,
  refuseEncoded,
} from '../../platform/http/index.js';
import type { MeteredRequest } from '../../platform/security/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { readChatConnection } from '../providers/index.js';
import { ChangeProfilePhotoCommand, UpdateBusinessProfileCommand } from './business-profile.commands.js';
import {
  BusinessProfileAnswer,
  CHANNELS,
  PhotoAnswer,
  PhotoBody,
  PROFILE_EXAMPLES,
  UpdateBusinessProfileBody,
} from './business-profile.dto.js';
import { PHOTO_ERRORS, PROFILE_ERRORS, UPDATE_ERRORS } from './business-profile.errors.js';
import { GetBusinessProfileQuery } from './business-profile.queries.js';

const KB = 1024;
const FIELD = 'file';

interface UploadRequest extends MeteredRequest {
  files?: { buffer: Buffer }[];
}

/**
 * Reads a multipart body; fails only when unreadable or over `BODY_LIMIT`, because faults of the chat account come before those
 * of the photo. Ignores other parts.
 */
@Injectable()
export class PhotoUpload implements NestInterceptor {
  constructor(
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<UploadRequest>();
    refuseEncoded(request);
    const holding = this.bodies.hold(request, request.actor?.account.username ?? null);
    const Reader = AnyFilesInterceptor({
      limits: { fileSize: this.environment.BODY_LIMIT, files: 2, fields: 20, fieldSize: 64 * KB },
      fileFilter: (_request, file, decide) => decide(null, file.fieldname === FIELD),
      storage: inMemory(holding),
    });
    const reader: NestInterceptor = new Reader();
    try {
      await inPace(request, KNOWN_PACE, (signal) =>
        Promise.race([reader.intercept(context, { handle: () => EMPTY }), brokenOff(signal)]),
      );
    } catch (error) {
      throw bodyFault(error);
    }
    return next.handle();
  }
}

/** Keeps a file in memory while the limit permits. */
const inMemory = (holding: Holding) => ({
  _handleFile: (_request: Request, { stream }: { stream: Readable }, done: (error: unknown, kept?: object) => void) => {
    const chunks: Buffer[] = [];
    const read = async (): Promise<Buffer> => {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        holding.take(chunk.length);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    };
    read().then((buffer) => done(null, { buffer }), done);
  },
  _removeFile: (_request: Request, _file: object, done: (error: Error | null) => void) => done(null),
});

const uploadedFile = (request: UploadRequest): Buffer | null => request.files?.[0]?.buffer ?? null;

const TakesPhoto = (): MethodDecorator =>
  applyDecorators(
    UseInterceptors(PhotoUpload),
    ApiConsumes('multipart/form-data'),
    ApiErrorsOf('upload', bodyErrors.tooLarge.because('body over BODY_LIMIT'), bodyErrors.malformedMultipart),
  );

/** Maps errors of the parser to ours. */
function bodyFault(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { status } = error as { status?: number };
  return status === 413 ? bodyErrors.tooLarge() : bodyErrors.malformedMultipart();
}

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
  @Needs('manage')
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
  @Needs('manage')
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
