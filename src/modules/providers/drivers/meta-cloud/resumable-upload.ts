import { acceptedBody, textOf } from './answers.js';
import type { GraphAccount } from './config.js';
import type { MetaCloudClient } from './graph-client.js';

/** The upstream reads this in an upload's path as the application of the token. */
const OWN_APP = 'app';
/** Time for the bytes themselves. */
const BYTES_MS = 30_000;

/** A file for the upstream. */
export interface UploadedFile {
  bytes: Buffer;
  /** such as `image/jpeg` */
  mimeType: string;
  name: string;
}

/**
 * Uploads a file in the upstream's two steps: opens a session, then sends all bytes from offset 0.
 * The session belongs to the account's application, or to that of the token where no id is known.
 * @returns the handle by which other calls name the file
 * @throws AppError `unprocessable` with the upstream's text of the step that failed; `upstream` when it is silent
 */
export async function uploadFile(
  client: MetaCloudClient,
  account: GraphAccount & { appId: string | null },
  file: UploadedFile,
): Promise<string> {
  const session = await client.request(account, {
    method: 'POST',
    path: `${encodeURIComponent(account.appId ?? OWN_APP)}/uploads`,
    query: { file_name: file.name, file_length: String(file.bytes.length), file_type: file.mimeType },
  });
  const upload = await client.request(account, {
    method: 'POST',
    // the id brings its own query: `upload:MTph…?sig=…`
    path: textOf(acceptedBody(session), 'id'),
    body: file.bytes,
    timeoutMs: BYTES_MS,
    headers: {
      // this one call wants the scheme OAuth, not Bearer
      authorization: `OAuth ${account.token ?? ''}`,
      file_offset: '0',
      'content-type': file.mimeType,
    },
  });
  return textOf(acceptedBody(upload), 'h');
}
