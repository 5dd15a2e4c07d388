import { Injectable } from '@nestjs/common';
import { MessageIds } from '../carrier/message-ids.js';
import { GraphCode, GraphError, invalidParameter } from './graph-error.js';
import { type GraphAnswer, type GraphRequest, ok } from './graph-request.js';

interface Upload {
  length: number;
  type: string;
  received: number;
}

const TYPES = new Set(['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']);

/** The resumable upload: a session, then its bytes, then a handle that stands for the file. */
@Injectable()
export class ChatUploads {
  private readonly ids = new MessageIds();
  private readonly sessions = new Map<string, Upload>();
  private readonly handles = new Map<string, string>();

  /** The content type of an uploaded file; null for a handle that was never given out. */
  typeOf(handle: unknown): string | null {
    return this.handles.get(String(handle)) ?? null;
  }

  /** `POST /:app_id/uploads?file_length&file_type`. @throws GraphError */
  open({ query }: GraphRequest): GraphAnswer {
    const length = Number(query.get('file_length'));
    const type = query.get('file_type') ?? '';
    if (!Number.isInteger(length) || length < 1) throw invalidParameter('The parameter file_length is required.');
    if (!TYPES.has(type)) throw invalidParameter(`The parameter file_type is not supported: ${type}`);
    const id = `upload:${Buffer.from(`attachment:${this.ids.next()}`).toString('base64')}`;
    this.sessions.set(id, { length, type, received: 0 });
    // The real upstream's ids carry a signature as a query string: they are for pasting as they are.
    return ok({ id: `${id}?sig=ARZ${length.toString(36)}` });
  }

  /** `POST /:upload_id` with the bytes, or `GET` for how many there are. @throws GraphError */
  continue(request: GraphRequest): GraphAnswer {
    const id = decodeURIComponent(request.node);
    const upload = this.sessions.get(id);
    if (!upload || !request.query.has('sig')) {
      throw new GraphError(404, GraphCode.InvalidParameter, '(#100) The upload session is unknown', null, 33);
    }
    if (request.method === 'GET') return ok({ id, file_offset: upload.received });
    if (Number(request.headers['file_offset'] ?? Number.NaN) !== upload.received) {
      throw invalidParameter(`The header file_offset must be ${upload.received}.`);
    }
    upload.received += request.body.length;
    if (upload.received > upload.length) throw invalidParameter('More bytes than file_length says.');
    if (upload.received < upload.length) return ok({ id, file_offset: upload.received });
    this.sessions.delete(id);
    const handle = `4::${Buffer.from(upload.type).toString('base64')}:AR${this.ids.next().toString(36)}:e:1700000000`;
    this.handles.set(handle, upload.type);
    return ok({ h: handle });
  }
}
