import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallEvent, CallStep, Receipt } from '../../src/modules/providers/index.js';
import {
  callIdOf,
  readEvent,
  readReceipt,
  CALL_EVENTS,
  stepAddress,
  isSigned,
  readForm,
} from '../../src/modules/providers/drivers/twilio/callbacks.js';
import { EMPTY_TWIML, renderStep } from '../../src/modules/providers/drivers/twilio/call-request.js';
import { SILENCE } from '../../src/apps/sandbox/voice/telephone-server.js';

export const ACCOUNT_SID = 'AC0123456789abcdef0123456789abcdef';
export const AUTH_TOKEN = 'the-auth-token';
export const ROUTE = 'phone';

/** A question of the network, as it came. */
export interface Asked {
  ref: string;
  step: number;
  event: CallEvent;
}

/** A customer of the telephone network: answers its questions through the driver, keeps what it is told. */
export interface CallCustomer {
  origin: string;
  asked: Asked[];
  receipts: Receipt[];
  /** callbacks whose signature was wrong */
  unsigned: string[];
  /** what the network is answered next; `hangup` unless a test wants it otherwise */
  script: (asked: Asked) => CallStep;
  close(): void;
}

const PATH = /^\/provider\/voice\/phone\/calls\/([^/]+)\/(?:status|steps\/(\d+)\/([a-z]+))$/;

export async function openCallCustomer(): Promise<CallCustomer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/clip.wav')
        return void response.writeHead(200, { 'content-type': 'audio/wav' }).end(SILENCE);
      const signature = request.headers['x-twilio-signature'];
      void answer(customer, request.url ?? '', String(signature), Buffer.concat(chunks)).then((text) => {
        response.writeHead(text === null ? 403 : 200, { 'content-type': 'text/xml' }).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const customer: CallCustomer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    receipts: [],
    unsigned: [],
    script: () => ({ do: 'hangup' }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return customer;
}

async function answer(customer: CallCustomer, path: string, signature: string, form: Buffer): Promise<string | null> {
  const [, ref, step, name] = PATH.exec(path) ?? [];
  const parameters = readForm(form);
  const callId = callIdOf(parameters, ACCOUNT_SID);
  const signed = await isSigned({ url: customer.origin + path, signature, form }, AUTH_TOKEN);
  if (!signed || ref === undefined || callId === null) {
    customer.unsigned.push(path);
    return null;
  }
  const kind = CALL_EVENTS.find((event) => event === name);
  if (kind === undefined) {
    const receipt = readReceipt(ref, callId, parameters);
    if (receipt) customer.receipts.push(receipt);
    return EMPTY_TWIML;
  }
  const event = readEvent(kind, parameters);
  if (event === null) return EMPTY_TWIML;
  const asked: Asked = { ref, step: Number(step), event };
  customer.asked.push(asked);
  const place = { origin: customer.origin, route: ROUTE };
  return renderStep(customer.script(asked), (then) => stepAddress(place, ref, asked.step + 1, then));
}
