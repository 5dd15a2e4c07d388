import type { Readable } from 'node:stream';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { AnyFilesInterceptor } from '@nestjs/platform-express';
import { ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import {
  ApiErrorsOf,
  Bodies,
  bodyErrors,
  brokenOff,
  type Holding,
  inPace,
  KNOWN_PACE,
  refuseEncoded,
} from '../../../platform/http/index.js';
import type { MeteredRequest } from '../../../platform/security/index.js';

const KB = 1024;
const FIELD = 'file';

/** A request whose multipart body was read. */
interface UploadRequest extends MeteredRequest {
  files?: { buffer: Buffer }[];
}

/**
 * Reads a multipart body into memory. Whether there is a photo and whether it will do is judged later, because the
 * faults of the chat account are answered first; here fails only what cannot be read or exceeds `BODY_LIMIT`. Parts with
 * other names are ignored.
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

/** Keeps a file in memory as long as there is room for it. */
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

/** The first part called `file`; null = none came. */
export const uploadedFile = (request: UploadRequest): Buffer | null => request.files?.[0]?.buffer ?? null;

/** The route takes a photo in a multipart form. */
export const TakesPhoto = (): MethodDecorator =>
  applyDecorators(
    UseInterceptors(PhotoUpload),
    ApiConsumes('multipart/form-data'),
    ApiErrorsOf('upload', bodyErrors.tooLarge.because('body over BODY_LIMIT'), bodyErrors.malformedMultipart),
  );

/** The parser's errors in our words. */
function bodyFault(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { status } = error as { status?: number };
  return status === 413 ? bodyErrors.tooLarge() : bodyErrors.malformedMultipart();
}
