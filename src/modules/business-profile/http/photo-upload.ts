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
import type { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { ApiErrorsOf, bodyErrors } from '../../../platform/http/index.js';

const KB = 1024;
const FIELD = 'file';

/** A request whose multipart body was read. */
interface UploadRequest extends Request {
  files?: { buffer: Buffer }[];
}

/**
 * Reads a multipart body into memory. Whether there is a photo and whether it will do is judged later, because the
 * faults of the chat account are answered first; here fails only what cannot be read or exceeds `BODY_LIMIT`. Parts with
 * other names are ignored.
 */
@Injectable()
export class PhotoUpload implements NestInterceptor {
  private readonly reader: NestInterceptor;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'BODY_LIMIT'>) {
    const Reader = AnyFilesInterceptor({
      limits: { fileSize: environment.BODY_LIMIT, files: 2, fields: 20, fieldSize: 64 * KB },
      fileFilter: (_request, file, decide) => decide(null, file.fieldname === FIELD),
    });
    this.reader = new Reader();
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    try {
      await this.reader.intercept(context, { handle: () => EMPTY });
    } catch (error) {
      throw bodyFault(error);
    }
    return next.handle();
  }
}

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
  const { status } = error as { status?: number };
  return status === 413 ? bodyErrors.tooLarge() : bodyErrors.malformedMultipart();
}
