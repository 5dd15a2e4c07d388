import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../../kernel/json-values.js';
import { codePoints } from '../../../kernel/text.js';
import { MessageIds } from '../carrier-ledger.js';
import { type GraphAnswer, GraphCode, GraphError, type GraphRequest, invalidParameter, ok } from './graph-request.js';

interface Upload {
  length: number;
  type: string;
  received: number;
}

const TYPES = new Set(['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']);

/** The resumable upload: a session, its bytes, then a handle for the file. */
@Injectable()
export class ChatUploads {
  private readonly ids = new MessageIds();
  private readonly sessions = new Map<string, Upload>();
  private readonly handles = new Map<string, string>();

  typeOf(handle: unknown): string | null {
    return this.handles.get(String(handle)) ?? null;
  }

  open({ query }: GraphRequest): GraphAnswer {
    const length = Number(query.get('file_length'));
    const type = query.get('file_type') ?? '';
    if (!Number.isInteger(length) || length < 1) throw invalidParameter('The parameter file_length is required.');
    if (!TYPES.has(type)) throw invalidParameter(`The parameter file_type is not supported: ${type}`);
    const id = `upload:${Buffer.from(`attachment:${this.ids.next()}`).toString('base64')}`;
    this.sessions.set(id, { length, type, received: 0 });
    // The provider's ids carry a signature as a query string; clients must not encode it.
    return ok({ id: `${id}?sig=ARZ${length.toString(36)}` });
  }

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

const VERTICALS = new Set([
  ...[
    'UNDEFINED',
    'OTHER',
    'AUTO',
    'BEAUTY',
    'APPAREL',
    'EDU',
    'ENTERTAIN',
    'EVENT_PLAN',
    'FINANCE',
    'GROCERY',
    'GOVT',
  ],
  ...['HOTEL', 'HEALTH', 'NONPROFIT', 'PROF_SERVICES', 'RETAIL', 'TRAVEL', 'RESTAURANT', 'NOT_A_BIZ', 'ALCOHOL'],
  ...['ONLINE_GAMBLING', 'PHYSICAL_GAMBLING', 'OTC_DRUGS', 'MATRIMONY_SERVICE', ''],
]);
const LONGEST = { about: 139, address: 256, description: 512, email: 128 } as const;

/** Business profiles of phone numbers. */
@Injectable()
export class ChatProfiles {
  private readonly profiles = new Map<string, JsonObject>();

  constructor(private readonly uploads: ChatUploads) {}

  read(phoneNumberId: string, fields: string | null): GraphAnswer {
    const profile = this.profiles.get(phoneNumberId) ?? {};
    const asked = fields?.split(',').map((field) => field.trim()) ?? [];
    const shown = Object.entries(profile).filter(([name]) => asked.includes(name));
    return ok({ data: [{ ...Object.fromEntries(shown), messaging_product: 'whatsapp' }] });
  }

  /** Changes the named fields; none if one is invalid (GraphError). */
  change(phoneNumberId: string, request: JsonObject): GraphAnswer {
    if (request['messaging_product'] !== 'whatsapp') {
      throw invalidParameter('The parameter messaging_product is required.');
    }
    const changes: JsonObject = {};
    for (const [field, limit] of Object.entries(LONGEST)) {
      const value = request[field];
      if (value === undefined) continue;
      if (typeof value !== 'string') throw invalidParameter(`Param ${field} must be a string.`);
      if (field === 'about' && value.trim() === '') throw invalidParameter('Param about must be a non-empty string.');
      if (codePoints(value) > limit) throw invalidParameter(`Param ${field} must be at most ${limit} characters long.`);
      changes[field] = value;
    }
    const { email, websites, vertical, profile_picture_handle: handle } = request;
    if (typeof email === 'string' && email !== '' && !/^\S+@\S+\.\S+$/.test(email)) {
      throw invalidParameter('Param email must be a valid email address.');
    }
    if (websites !== undefined) changes['websites'] = readWebsites(websites);
    if (vertical !== undefined) {
      if (typeof vertical !== 'string' || !VERTICALS.has(vertical))
        throw invalidParameter('Param vertical is not one of the known values.');
      changes['vertical'] = vertical;
    }
    if (handle !== undefined) changes['profile_picture_url'] = this.picture(phoneNumberId, handle);
    this.profiles.set(phoneNumberId, { ...this.profiles.get(phoneNumberId), ...changes });
    return ok({ success: true });
  }

  private picture(phoneNumberId: string, handle: unknown): string {
    if (!this.uploads.typeOf(handle)?.startsWith('image/')) {
      const code = GraphCode.InvalidParameter;
      throw new GraphError(400, code, `(#${code}) The profile picture handle is invalid or expired`);
    }
    return `https://pps.example.com/v/${phoneNumberId}/${encodeURIComponent(String(handle).slice(-24))}`;
  }
}

function readWebsites(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > 2)
    throw invalidParameter('Param websites must be an array of at most 2.');
  for (const site of value as unknown[]) {
    const valid = typeof site === 'string' && site.length <= 256 && URL.canParse(site) && /^https?:/i.test(site);
    if (!valid) throw invalidParameter('Param websites must hold http or https URLs of at most 256 characters.');
  }
  return value as string[];
}
