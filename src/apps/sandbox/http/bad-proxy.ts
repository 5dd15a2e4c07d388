import type { ServerResponse } from 'node:http';
import type { FaultSettings } from '../carrier/faults.js';

/**
 * What stands between us and a carrier that has taken the message: its answer never comes through.
 * @returns false on a good day, when the carrier's own answer is to be written
 */
export function answerAsBadProxy(response: ServerResponse, faults: FaultSettings): boolean {
  if (faults.resetAfterTaking) {
    response.socket?.resetAndDestroy();
    return true;
  }
  if (faults.proxyStatus === null) return false;
  const page = `<html><body>${faults.proxyStatus}</body></html>`;
  response.writeHead(faults.proxyStatus, { 'content-type': 'text/html', 'content-length': page.length }).end(page);
  return true;
}
