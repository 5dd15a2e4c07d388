import { Injectable } from '@nestjs/common';
import { codePoints } from '../../../kernel/text.js';
import { type JsonObject } from '../../../kernel/objects.js';
import { GraphCode, GraphError, invalidParameter } from './graph-error.js';
import { type GraphAnswer, ok } from './graph-request.js';
import { ChatUploads } from './uploads.js';

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

  /** Only the fields asked for, and of these only those that are set. */
  read(phoneNumberId: string, fields: string | null): GraphAnswer {
    const profile = this.profiles.get(phoneNumberId) ?? {};
    const asked = fields?.split(',').map((field) => field.trim()) ?? [];
    const shown = Object.entries(profile).filter(([name]) => asked.includes(name));
    return ok({ data: [{ ...Object.fromEntries(shown), messaging_product: 'whatsapp' }] });
  }

  /** Changes the named fields. @throws GraphError; nothing is changed then */
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
