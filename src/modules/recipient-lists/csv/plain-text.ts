import { uploadErrors } from '../recipient-lists.errors.js';

/**
 * Lets bytes pass as long as they are text in UTF-8 and not too many. A byte 0 is valid UTF-8 and stands in no text: in
 * files of other encodings, spreadsheets and archives it does.
 * @throws AppError invalid `File must be text in UTF-8`, too_large `Request body is too large`
 */
export async function* plainText(
  bytes: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw uploadErrors.notUtf8();
    }
  };
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > most) throw uploadErrors.tooLarge();
    decode(chunk);
    if (chunk.includes(0)) throw uploadErrors.notUtf8();
    yield chunk;
  }
  decode();
}
