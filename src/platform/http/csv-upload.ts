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
import { AppError } from '../../kernel/errors.js';
import { inPace, KNOWN_PACE } from './body-bytes.js';
import { beginBody } from './http-server.js';
import { bodyErrors, protocolErrors } from './http.errors.js';

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
    refuseEncoded(request);
    const isForm = request.is(FORM);
    if (!isForm && !request.is(CSV_TYPES)) throw bodyErrors.fileRequired();
    beginBody(request, request.res);
    const csv = new PassThrough();
    // A handler that has stopped reading does not meet a late fault.
    csv.on('error', () => undefined);
    inPace(request, KNOWN_PACE, (signal) => {
      signal?.addEventListener('abort', () => csv.destroy(signal.reason as Error));
      return isForm ? readPart(context, csv) : readWhole(request, csv);
    }).catch((error: unknown) => csv.destroy(error as Error));
    request.csv = csv;
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

/**
 * To be called for a body that is a file, or a form with one. Nothing is decompressed: a small body stays a small file.
 * @throws UnsupportedMediaTypeException
 */
export function refuseEncoded({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^identity$/i.test(encoding) || !/^(utf-?8|us-ascii)$/i.test(charset))
    throw new UnsupportedMediaTypeException(protocolErrors.charset.message);
}

/** When the handler stops early the request stays open and the rest is discarded: the refusal has still to be answered. */
async function readWhole(request: Request, csv: PassThrough): Promise<void> {
  if (request.destroyed) throw bodyErrors.unreadable();
  const breakOff = (): void => void (request.complete || csv.destroy(bodyErrors.unreadable()));
  request.once('close', breakOff).pipe(csv);
  await new Promise((closed) => csv.once('close', closed));
  request.off('close', breakOff).resume();
}

/** The first part called `file`. */
async function readPart(context: ExecutionContext, csv: PassThrough): Promise<void> {
  const form = { hasFile: false };
  const Reader = AnyFilesInterceptor({
    limits: { files: 2, fields: 20, fieldSize: 64 * KB },
    fileFilter: (_request, file, decide) => {
      const wanted = file.fieldname === FIELD && !form.hasFile;
      form.hasFile ||= wanted;
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
  try {
    await reader.intercept(context, { handle: () => EMPTY });
  } catch (error) {
    throw error instanceof AppError ? error : bodyErrors.malformedMultipart();
  }
  if (!form.hasFile) throw bodyErrors.fileRequired();
  // Not earlier: an answer before the whole form was read would cut the client's connection.
  csv.end();
}
