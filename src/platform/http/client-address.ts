import type { IncomingMessage } from 'node:http';
import express, { type Application } from 'express';
import { InvalidEnvironment } from '../config/index.js';
import { clientIp } from '../security/index.js';
import { trustedProxies } from './configure-http.js';

type Trust = (address: string, distance: number) => boolean;

/**
 * Who asks a server that is no Nest application, and over which scheme, as `TRUST_PROXY` has it: what Express says of its requests.
 * @throws InvalidEnvironment for a value that is none
 */
export function clientAddressReader(text: string): (request: IncomingMessage) => { ip: string; proto: string } {
  const trust = trustOf(text);
  return (request) => {
    const peer = request.socket.remoteAddress ?? 'unknown';
    const forwarded = textOf(request.headers['x-forwarded-for']).split(',').reverse();
    let ip = peer;
    let distance = 0;
    for (const hop of forwarded) {
      const next = hop.trim();
      if (next === '' || !trust(ip, distance)) break;
      ip = next;
      distance += 1;
    }
    const proto = trust(peer, 0) ? textOf(request.headers['x-forwarded-proto']).split(',')[0]?.trim() : undefined;
    return { ip: clientIp({ ip }), proto: proto === 'https' ? 'https' : 'http' };
  };
}

function trustOf(text: string): Trust {
  const app: Application = express();
  try {
    app.set('trust proxy', trustedProxies(text));
  } catch {
    throw new InvalidEnvironment(
      `The environment is not valid:\n  TRUST_PROXY: "${text}" is neither a number of hops nor a list of addresses`,
    );
  }
  return app.get('trust proxy fn') as Trust;
}

const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(',') : (value ?? '');
