import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { AddressRefused } from './address-guard.js';
import { OutboundError } from './outbound-error.js';

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ExchangeOptions {
  origin: string;
  path: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string | Buffer | null;
  timeoutMs: number;
  maxBytes: number;
  /** true: truncates a longer answer */
  cutAnswer: boolean;
  /** called before the first byte; throwing prevents the request */
  onSending: (() => void) | undefined;
}

/** One request, no redirects. undici's dispatch reports when it is sent: earlier faults sent nothing. @throws OutboundError */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let sent = false;
    let settled = false;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let controller: Dispatcher.DispatchController | null = null;

    const fail = (error: OutboundError): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      reject(error);
      if (controller && !controller.aborted) controller.abort(error);
    };
    const succeed = (): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve({ status, headers, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) });
    };
    const cut = (last: Buffer): void => {
      if (settled) return;
      chunks.push(last);
      succeed();
      controller?.abort(new OutboundError('too_large', true));
    };
    const timer = setTimeout(() => fail(new OutboundError('timeout', sent)), options.timeoutMs);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(begun) {
        controller = begun;
        // The timeout may have passed while the request waited for a connection: do not send it.
        if (settled) return begun.abort(new OutboundError('timeout', false));
        options.onSending?.();
        sent = true;
      },
      onResponseStart(_controller, code, received) {
        status = code;
        headers = received;
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size <= options.maxBytes) chunks.push(chunk);
        else if (options.cutAnswer) cut(chunk.subarray(0, chunk.length - (size - options.maxBytes)));
        else fail(new OutboundError('too_large', true));
      },
      onResponseEnd() {
        succeed();
      },
      onResponseError(_controller, error) {
        fail(faultOf(error, sent));
      },
    };

    try {
      dispatcher.dispatch(
        {
          origin: options.origin,
          path: options.path,
          method: options.method,
          headers: options.headers,
          body: options.body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
    } catch (error) {
      fail(faultOf(error, false));
    }
  });
}

function faultOf(error: unknown, sent: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  if (isRefusal(error)) return new OutboundError('refused', false, error);
  return new OutboundError(sent ? 'interrupted' : 'unreachable', sent, error);
}

function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isRefusal);
  return error instanceof AddressRefused;
}
