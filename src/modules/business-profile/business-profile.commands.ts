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

/** Validates a photo by its content, not its name. @throws AppError invalid without one, unprocessable by size or type */
export async function readPhoto(bytes: Buffer | null): Promise<UploadedFile> {
  if (!bytes) throw businessProfileErrors.fileRequired();
  if (bytes.length > MOST_PHOTO_BYTES) throw businessProfileErrors.photoSize();
  const type = await fileTypeFromBuffer(bytes);
  if (!type || !MIME_TYPES.has(type.mime)) throw businessProfileErrors.photoType();
  return { bytes, mimeType: type.mime, name: `photo.${type.ext}` };
}

/** Replaces the photo in the provider's three steps. Safe to repeat. @throws AppError as reference/business-profile#errors */
export class ChangeProfilePhotoCommand extends Command<Record<string, unknown>> {
  /** @param file the uploaded bytes; null = none */
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

type ProfileField = keyof BusinessProfileChanges;

/** Changes of a body, or the first invalid field. */
export type ReadProfileChanges = { changes: BusinessProfileChanges } | { fault: ProfileField };

/** Reads supplied fields (reference/business-profile#routes): absent keeps, empty (null, `''`, white space, `[]`) clears. */
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

/** Texts of a list without empty entries; null when invalid. */
function readList(value: unknown): string[] | null {
  if (value === null) return [];
  if (!Array.isArray(value)) return null;
  const items = value.map(readText);
  if (items.some((item) => item.kind === 'fault')) return null;
  return items.flatMap((item) => (item.kind === 'text' ? [item.value] : []));
}

/**
 * Changes supplied fields at the provider and returns the profile. Safe to repeat.
 * @throws AppError in the order of reference/business-profile#errors, then `invalid` for a field of the body
 */
export class UpdateBusinessProfileCommand extends Command<BusinessProfile> {
  /** @param body unvalidated: faults of the account come first */
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
