import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { fileTypeFromBuffer } from 'file-type';
import { DataSource } from 'typeorm';
import type { AppError } from '../../kernel/errors.js';
import { readText } from '../../kernel/text.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import {
  type BusinessProfile,
  type BusinessProfileChanges,
  BusinessProfileClient,
  type ChatConnection,
  type UploadedFile,
} from '../providers/index.js';
import { businessProfileErrors } from './business-profile.errors.js';
import { ProfileAccounts } from './business-profile.queries.js';

/** Bytes (reference/business-profile#errors; MB are binary: reference/requests#bodies). */
export const MOST_PHOTO_BYTES = 5 * 1024 * 1024;

const MIME_TYPES = new Set(['image/jpeg', 'image/png']);

/**
 * Judges an uploaded photo by its content; what the client calls it does not count.
 * @throws AppError `invalid` when there is no file, `unprocessable` when it is too large or no JPEG or PNG
 */
export async function readPhoto(bytes: Buffer | null): Promise<UploadedFile> {
  if (!bytes) throw businessProfileErrors.fileRequired();
  if (bytes.length > MOST_PHOTO_BYTES) throw businessProfileErrors.photoSize();
  const type = await fileTypeFromBuffer(bytes);
  if (!type || !MIME_TYPES.has(type.mime)) throw businessProfileErrors.photoType();
  return { bytes, mimeType: type.mime, name: `photo.${type.ext}` };
}

/**
 * Replaces the profile's photo at the provider in its three steps; answers what the provider said to the last one.
 * Safe to repeat.
 * @throws AppError the rows of reference/business-profile#errors in their order, then those of the file; the provider's
 * own text of the step that failed
 */
export class ChangeProfilePhotoCommand extends Command<Record<string, unknown>> {
  /** @param file the bytes as they were uploaded; null = none came */
  constructor(
    readonly actor: Account,
    readonly connection: ChatConnection,
    readonly file: Buffer | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeProfilePhotoCommand)
export class ChangeProfilePhotoHandler implements ICommandHandler<ChangeProfilePhotoCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ actor, connection, file }: ChangeProfilePhotoCommand): Promise<Record<string, unknown>> {
    const account = await this.accounts.reachable(actor.id, connection, businessProfileErrors.noAccountForPhoto);
    const answer = await this.profiles.changePhoto(account, await readPhoto(file));
    const details = { channel: connection };
    const entry = { actor, action: 'business_profile.photo', subject: actor.username, details };
    await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    return answer;
  }
}

const TEXTS = ['about', 'address', 'description', 'email', 'vertical'] as const;

/** A field that PUT may change. */
type ProfileField = keyof BusinessProfileChanges;

/** What a body wants changed, or the first field at fault. */
export type ReadProfileChanges = { changes: BusinessProfileChanges } | { fault: ProfileField };

/**
 * Reads the fields that were supplied (reference/business-profile#routes): an absent one keeps its value, an empty one
 * (null, `''`, white space, `[]`) clears it. Numbers are taken as their text; anything else is the fault of its field
 * (reference/requests#values).
 */
export function readProfileChanges(body: Record<string, unknown>): ReadProfileChanges {
  const changes: BusinessProfileChanges = {};
  for (const field of TEXTS) {
    if (body[field] === undefined) continue;
    const text = readText(body[field]);
    if (text.kind === 'fault') return { fault: field };
    changes[field] = text.kind === 'text' ? text.value : '';
  }
  if (body['websites'] !== undefined) {
    const websites = readList(body['websites']);
    if (!websites) return { fault: 'websites' };
    changes.websites = websites;
  }
  return { changes };
}

/** The texts of a list without its empty entries; null when it is no list of texts. */
function readList(value: unknown): string[] | null {
  if (value === null) return [];
  if (!Array.isArray(value)) return null;
  const items = value.map(readText);
  if (items.some((item) => item.kind === 'fault')) return null;
  return items.flatMap((item) => (item.kind === 'text' ? [item.value] : []));
}

/**
 * Changes the supplied fields of the profile at the provider and answers the profile as it stands there afterwards.
 * Safe to repeat.
 * @throws AppError the rows of reference/business-profile#errors in their order, then `invalid` for a field of the body
 */
export class UpdateBusinessProfileCommand extends Command<BusinessProfile> {
  /** @param body the request's fields as they came: the account's faults are answered before theirs */
  constructor(
    readonly actor: Account,
    readonly connection: ChatConnection,
    readonly body: Record<string, unknown>,
  ) {
    super();
  }
}

@CommandHandler(UpdateBusinessProfileCommand)
export class UpdateBusinessProfileHandler implements ICommandHandler<UpdateBusinessProfileCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ actor, connection, body }: UpdateBusinessProfileCommand): Promise<BusinessProfile> {
    const account = await this.accounts.reachable(actor.id, connection, businessProfileErrors.noAccount);
    const read = readProfileChanges(body);
    if ('fault' in read) throw faultOf(read.fault);
    const fields = Object.keys(read.changes);
    if (fields.length > 0) {
      await this.profiles.update(account, read.changes);
      const details = { channel: connection, fields };
      const entry = { actor, action: 'business_profile.change', subject: actor.username, details };
      await inTransaction(this.dataSource, (tx) => this.audit.record(tx, entry));
    }
    return this.profiles.read(account);
  }
}

const faultOf = (field: ProfileField): AppError =>
  field === 'websites' ? businessProfileErrors.websites() : businessProfileErrors.noText(field);
