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
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV_TYPES = [
  CSV,
  'text/plain',
  'application/csv',
  'application/vnd.ms-excel',
  'application/octet-stream',
  WORKBOOK,
];

/** A request with a streamed file. */
export interface CsvRequest extends Request {
  csv?: AsyncIterable<Uint8Array>;
  /** as the form names it, known when its bytes begin */
  csvName?: string;
}

/** A part of the form, piped and not stored. */
interface Part {
  fieldname: string;
  originalname: string;
  stream: Readable;
}

/** Streams the file of a form, or a CSV body, with backpressure. Faults of the form are errors of the stream. */
@Injectable()
class CsvUpload implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<CsvRequest>();
    refuseEncoded(request, FILE_CHARSETS);
    const isForm = request.is(FORM);
    if (!isForm && !request.is(CSV_TYPES)) throw bodyErrors.fileRequired();
    beginBody(request, request.res);
    const csv = new PassThrough();
    // A handler that has stopped reading must not crash on a late error.
    csv.on('error', () => undefined);
    // A handler may answer without reading: an unread stream would never close, and its reader would wait for ever.
    request.res?.once('close', () => csv.destroy());
    inPace(request, KNOWN_PACE, (signal) => {
      signal?.addEventListener('abort', () => csv.destroy(signal.reason as Error));
      return isForm ? readPart(context, csv) : readWhole(request, csv);
    }).catch((error: unknown) => csv.destroy(error as Error));
    request.csv = csv;
    return next.handle();
  }
}

/** The route takes CSV as the part `file` of a form or as the body: `@ApiBody` describes the form. */
export const CsvFile = (): MethodDecorator => applyDecorators(UseInterceptors(CsvUpload), ApiConsumes(FORM, CSV));

/** Corrects Swagger, which describes all body types alike: a plain body is the form's file part. */
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

const TEXT_CHARSETS = /^(utf-?8|us-ascii)$/i;
/** A file of text is read by its bytes. */
const FILE_CHARSETS = /^(utf-?8|us-ascii|utf-?16(le|be)?|windows-1252|iso-8859-1)$/i;

/** Refuses a compressed file, so that a small body stays a small file. @throws UnsupportedMediaTypeException */
export function refuseEncoded({ headers }: Request, charsets = TEXT_CHARSETS): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^identity$/i.test(encoding) || !charsets.test(charset))
    throw new UnsupportedMediaTypeException(protocolErrors.charset.message);
}

/** When the handler stops early, discards remaining bytes and keeps the request open for its answer. */
async function readWhole(request: Request, csv: PassThrough): Promise<void> {
  if (request.destroyed) throw bodyErrors.unreadable();
  const breakOff = (): void => void (request.complete || csv.destroy(bodyErrors.unreadable()));
  request.once('close', breakOff).pipe(csv);
  await new Promise((closed) => csv.once('close', closed));
  request.off('close', breakOff).resume();
}

async function readPart(context: ExecutionContext, csv: PassThrough): Promise<void> {
  const form = { hasFile: false };
  const Reader = AnyFilesInterceptor({
    defParamCharset: 'utf8',
    limits: { files: 2, fields: 20, fieldSize: 64 * KB },
    fileFilter: (_request, file, decide) => {
      const wanted = file.fieldname === FIELD && !form.hasFile;
      form.hasFile ||= wanted;
      decide(null, wanted);
    },
    storage: {
      _handleFile: (request: CsvRequest, part: Part, done: (error?: unknown) => void) => {
        request.csvName = part.originalname;
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
  // An earlier answer would close the connection while the client still sends the form.
  csv.end();
}
