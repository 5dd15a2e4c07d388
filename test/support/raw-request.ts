import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request as bytes go over the wire, past everything that fetch would put right. */
export interface RawRequest {
  method: string;
  /** with the query, encoded */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** of a stream of events: nothing, it does not end */
  body: string;
}

const agent = new Agent({ keepAlive: true });
const PATIENCE_MS = 20_000;

/**
 * Sends it to an API.
 * @param url such as http://127.0.0.1:40123
 */
export function sendRaw(url: string, { method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    // without it, Node would send the body of a GET as if it were the next request
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent };
    const out = request(options, (answer) => {
      const chunks: Buffer[] = [];
      const end = (): void => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() });
        if (!answer.complete) out.destroy();
      };
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        end();
        return;
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', end);
    });
    out.on('error', reject);
    out.setTimeout(PATIENCE_MS, () => out.destroy(new Error(`${method} ${path} was not answered`)));
    out.end(body ?? undefined);
  });
}
