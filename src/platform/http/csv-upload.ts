import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UnsupportedMediaTypeException,
  UseInterceptors,
} from '@nestjs/common';
import { AnyFilesInterceptor } from '@nestjs/platform-express';
import { ApiConsumes, type OpenAPIObject } from '@nestjs/swagger';
import type { Request } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { AppError } from '../../kernel/app-error.js';
import { beginBody } from './http-server.js';
import { bodyErrors, protocolErrors } from './request-errors.js';

const KB = 1024;
const FIELD = 'file';
const FORM = 'multipart/form-data';
const CSV = 'text/csv';
const CSV_TYPES = [CSV, 'text/plain', 'application/csv', 'application/vnd.ms-excel', 'application/octet-stream'];

/** A request whose file can be read as it comes in. */
export interface CsvRequest extends Request {
  csv?: AsyncIterable<Uint8Array>;
}

/** The storage of the multipart reader: a part is piped on, nothing of it is kept. */
interface Part {
  fieldname: string;
  stream: Readable;
}

/**
 * Hands over the file of a form, or a CSV body, as a stream: the handler reads while the client still sends, and a slow
 * handler slows the client. Faults of the form come out of the stream.
 */
@Injectable()
class CsvUpload implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<CsvRequest>();
    if (!isPlain(request)) throw new UnsupportedMediaTypeException(protocolErrors.charset.message);
    beginBody(request, request.res);
    if (request.is(FORM)) request.csv = partOf(context);
    else if (request.is(CSV_TYPES)) request.csv = bytesOf(request);
    else throw bodyErrors.fileRequired();
    return next.handle();
  }
}

/** The route takes a file of CSV, as the part `file` of a form or as the body: `@ApiBody` describes the form. */
export const CsvFile = (): MethodDecorator => applyDecorators(UseInterceptors(CsvUpload), ApiConsumes(FORM, CSV));

/** Swagger describes all bodies of a route alike: one that is the file itself is what the part of the form is. */
export function documentCsvFiles({ paths, components }: OpenAPIObject): void {
  for (const { post } of Object.values(paths)) {
    const body = post?.requestBody;
    const media = body && 'content' in body ? body.content[CSV] : undefined;
    const form = media?.schema && '$ref' in media.schema ? media.schema.$ref.split('/').at(-1) : undefined;
    const described = components?.schemas?.[form ?? ''];
    const file = described && 'properties' in described ? described.properties[FIELD] : undefined;
    if (media && file) media.schema = file;
  }
}

/** Nothing is decompressed: a small body stays a small file. */
function isPlain({ headers }: Request): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return /^identity$/i.test(encoding) && /^(utf-?8|us-ascii)$/i.test(charset);
}

/** When reading stops early the request stays open and the rest is discarded: the refusal has still to be answered. */
async function* bytesOf(request: Request): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch {
    throw bodyErrors.unreadable();
  } finally {
    request.resume();
  }
}

/** The first part called `file`. */
function partOf(context: ExecutionContext): Readable {
  const csv = new PassThrough();
  let found = false;
  const Reader = AnyFilesInterceptor({
    limits: { files: 2, fields: 20, fieldSize: 64 * KB },
    fileFilter: (_request, file, decide) => {
      const wanted = file.fieldname === FIELD && !found;
      found ||= wanted;
      decide(null, wanted);
    },
    storage: {
      _handleFile: (_request: Request, part: Part, done: (error?: unknown) => void) => {
        pipeline(part.stream, csv, { end: false }).then(() => done(), done);
      },
      _removeFile: (_request: Request, _part: Part, done: (error: Error | null) => void) => done(null),
    },
  });
  const reader: NestInterceptor = new Reader();
  Promise.resolve(reader.intercept(context, { handle: () => EMPTY })).then(
    () => {
      // Not earlier: an answer before the whole form was read would cut the client's connection.
      if (found) csv.end();
      else csv.destroy(bodyErrors.fileRequired());
    },
    (error: unknown) => csv.destroy(error instanceof AppError ? error : bodyErrors.malformedMultipart()),
  );
  // A handler that has stopped reading does not meet a late fault of the form.
  csv.on('error', () => undefined);
  return csv;
}
