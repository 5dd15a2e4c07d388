import { fileTypeFromBuffer } from 'file-type';
import type { UploadedFile } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';

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
