import { acceptedBody, textOf } from './answers.js';
import type { GraphAccount } from './config.js';
import type { MetaCloudClient } from './graph-client.js';

/** In an upload's path, the provider reads this as the token's application. */
const OWN_APP = 'app';
const BYTES_MS = 30_000;

export interface UploadedFile {
  bytes: Buffer;
  mimeType: string;
  name: string;
}

/** Uploads a file in two steps. @returns its handle @throws AppError `unprocessable` (the provider's text), `upstream` */
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
    // the id has its own query: `upload:MTph…?sig=…`
    path: textOf(acceptedBody(session), 'id'),
    body: file.bytes,
    timeoutMs: BYTES_MS,
    headers: {
      // this call needs the scheme OAuth, not Bearer
      authorization: `OAuth ${account.token ?? ''}`,
      file_offset: '0',
      'content-type': file.mimeType,
    },
  });
  return textOf(acceptedBody(upload), 'h');
}
