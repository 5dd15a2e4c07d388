import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Faults } from '../faults.js';
import { answerAsBadProxy, readBody } from '../http-exchange.js';
import { type Call, readCall, readLogin, TelephoneError } from './calls.js';
import { TelephoneNetwork } from './telephone-network.js';

const RATE = 8_000;
const SECONDS = 1;

/** A second of silence as WAV (8 kHz, 16 bits, mono): the sandbox's recordings. */
export const SILENCE: Buffer = silence();

function silence(): Buffer {
  const bytes = RATE * SECONDS * 2;
  const wav = Buffer.alloc(44 + bytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + bytes, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(bytes, 40);
  return wav;
}

const CALLS = /^\/2010-04-01\/Accounts\/([^/?]+)\/Calls\.json(?:\?|$)/;
const CALL = /^\/2010-04-01\/Accounts\/([^/?]+)\/Calls\/(CA[0-9a-f]{32})\.json(?:\?|$)/;
const RECORDING = /^\/2010-04-01\/Accounts\/[^/?]+\/Recordings\/RE[0-9a-f]{32}(?:\.wav)?(?:\?|$)/;

interface TelephoneAnswer {
  status: number;
  body: Record<string, unknown>;
  retryAfter: number | null;
}

export const isTelephonePath = (url: string | undefined): boolean => (url ?? '').startsWith('/2010-04-01/');

/** The voice carrier's REST API, on the bare server: creates calls, serves recordings. */
@Injectable()
export class TelephoneServer {
  constructor(
    private readonly faults: Faults,
    private readonly network: TelephoneNetwork,
  ) {}

  clear(): void {
    this.network.clear();
  }

  /** Answers one request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method === 'GET' && RECORDING.test(request.url ?? '')) {
        response.writeHead(200, { 'content-type': 'audio/x-wav', 'content-length': SILENCE.length }).end(SILENCE);
        return;
      }
      const { answerDelayMs, stopAnswering } = this.faults.current;
      const answer = await this.answerTo(request);
      if (this.faults.dropsNow()) return void request.socket.destroy();
      if (stopAnswering || answerAsBadProxy(response, this.faults.current)) return;
      if (answerDelayMs > 0) await sleep(answerDelayMs);
      write(response, answer);
    } catch {
      // the client disconnected during its request
      request.socket.destroy();
    }
  }

  private async answerTo(request: IncomingMessage): Promise<TelephoneAnswer> {
    const body = await readBody(request);
    try {
      const call = request.method === 'GET' ? this.callOf(request) : null;
      if (call) return { status: 200, body: resourceOf(call), retryAfter: null };
      return { status: 201, body: resourceOf(await this.create(request, body)), retryAfter: null };
    } catch (error) {
      if (error instanceof TelephoneError) return error;
      throw error;
    }
  }

  private callOf({ url = '', headers }: IncomingMessage): Call | null {
    const [, accountSid, sid] = CALL.exec(url) ?? [];
    if (accountSid === undefined || sid === undefined) return null;
    readLogin(headers.authorization, accountSid);
    const call = this.network.find(sid);
    if (call?.accountSid !== accountSid)
      throw new TelephoneError(404, 20404, `The requested resource ${url} was not found`);
    return call;
  }

  private async create(request: IncomingMessage, body: Buffer): Promise<Call> {
    const url = request.url ?? '';
    const [, accountSid] = CALLS.exec(url) ?? [];
    if (accountSid === undefined) {
      throw new TelephoneError(404, 20404, `The requested resource ${url} was not found`);
    }
    if (request.method !== 'POST') throw new TelephoneError(405, 20004, 'Method not allowed');
    if (this.faults.current.refuseAll) throw new TelephoneError(503, 20503, 'Service unavailable');
    const authToken = readLogin(request.headers.authorization, accountSid);
    const asked = readCall(new URLSearchParams(body.toString('utf8')));
    this.network.refuse(asked.to.slice(1));
    const { address, port } = request.socket.address() as AddressInfo;
    return this.network.begin({ ...asked, accountSid, authToken, network: `http://${address}:${port}` });
  }
}

function write(response: ServerResponse, { status, body, retryAfter }: TelephoneAnswer): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    })
    .end(text);
}

function resourceOf({ sid, accountSid, to, from, record }: Call): Record<string, unknown> {
  const uri = `/2010-04-01/Accounts/${accountSid}/Calls/${sid}`;
  const related = ['Notifications', 'Recordings', 'Payments', 'Events', 'Siprec', 'Streams', 'Transcriptions'];
  return {
    sid,
    account_sid: accountSid,
    api_version: '2010-04-01',
    answered_by: null,
    caller_name: null,
    date_created: null,
    date_updated: null,
    direction: 'outbound-api',
    duration: record.status === 'completed' ? String(Math.max(1, record.seconds)) : null,
    end_time: null,
    forwarded_from: null,
    from,
    from_formatted: from,
    group_sid: null,
    parent_call_sid: null,
    phone_number_sid: null,
    price: null,
    price_unit: 'USD',
    queue_time: '0',
    start_time: null,
    status: record.status,
    subresource_uris: Object.fromEntries(related.map((name) => [name.toLowerCase(), `${uri}/${name}.json`])),
    to,
    to_formatted: to,
    trunk_sid: null,
    uri: `${uri}.json`,
  };
}
