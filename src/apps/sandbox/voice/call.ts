import type { CallEnd } from './call-fates.js';

/** What happened in a call, for the books. */
export interface CallRecord {
  status: 'queued' | 'ringing' | 'in-progress' | CallEnd;
  /** from the answer to the end, on the network's own clock */
  seconds: number;
  /** clips played (addresses), texts said */
  heard: string[];
  /** keys; '' = silence */
  pressed: string[];
  dialed: { number: string; callerId: string | null; timeLimit: number | null; outcome: CallEnd }[];
  recordings: string[];
  /** what the network would complain about in its debugger */
  faults: string[];
}

/** A call as it was asked for. */
export interface Call {
  sid: string;
  accountSid: string;
  /** origin of the network's own addresses */
  network: string;
  /** what callbacks are signed with */
  authToken: string;
  /** with its + */
  to: string;
  from: string;
  /** what to do when answered: an address that is asked, or a document */
  instructions: { url: string; method: 'GET' | 'POST' } | { twiml: string };
  statusCallback: string | null;
  statusEvents: readonly string[];
  record: CallRecord;
}

export const newCallRecord = (): CallRecord => ({
  status: 'queued',
  seconds: 0,
  heard: [],
  pressed: [],
  dialed: [],
  recordings: [],
  faults: [],
});

/** What every callback of a call says. */
export const callFacts = ({ sid, accountSid, to, from, record }: Call): Record<string, string> => ({
  AccountSid: accountSid,
  ApiVersion: '2010-04-01',
  CallSid: sid,
  CallStatus: record.status,
  Called: to,
  Caller: from,
  Direction: 'outbound-api',
  From: from,
  To: to,
});
