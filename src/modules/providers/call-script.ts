export type CallEvent =
  | { kind: 'answered' }
  /** `''` = silence until the time-out */
  | { kind: 'digits'; digits: string }
  | { kind: 'played' }
  /** a forwarded leg ended or failed; `seconds` of talk */
  | { kind: 'dialed'; outcome: 'completed' | 'busy' | 'no_answer' | 'failed'; seconds: number }
  /** `url` of the recording at the carrier, `''` = none; `seconds` of sound */
  | { kind: 'recorded'; url: string; seconds: number };

/** What the carrier does next in a call. */
export type CallStep =
  /** `continue` = the next event is `played` */
  | { do: 'play'; audio: string; then: 'hangup' | 'continue' }
  /** plays the prompt (null = none) and waits for one of the digits; the next event is `digits` */
  | { do: 'menu'; prompt: string | null; digits: string; timeoutSeconds: number }
  /** forwards the call (digits with country code; callerId '' = the route's own number); the next event is `dialed` */
  | { do: 'dial'; number: string; callerId: string; maxSeconds: number }
  | { do: 'record'; maxSeconds: number }
  | { do: 'hangup' };

export interface ScriptedCall {
  routeId: number;
  /** our reference, as `OutboundMessage.ref` */
  ref: string;
  callId: string;
}

/** Decides the next step of answered calls. The voice module implements it over MySQL, so that any instance can answer. */
export abstract class CallScripts {
  /** Resolves after its commit; `hangup` for an unknown call. @param step from 0; a repeated step gets the same answer */
  abstract next(call: ScriptedCall, step: number, event: CallEvent): Promise<CallStep>;
}
